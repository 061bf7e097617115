import { BACKGROUND_BEHAVIOURS, healthyScript, opening } from './background.ts';
import type { Behaviour } from './behaviour.ts';
import type { ExpectedIncident } from './expected.ts';
import { app } from './manifests.ts';
import { ALL_UP, ALWAYS_SIMULATED, crashLoop, escalates, workloadAlerts } from './recurring-parts.ts';
import type { Story } from './story.ts';

const DATABASE = 'orders-db';
const CALLERS = ['orders-api', 'orders-worker', 'orders-export'] as const;
const PORT = 5432;
const VOLUME = 'data';
const DAMAGE = 'damaged-pages';

const databaseManifests = app(
  {
    name: DATABASE,
    image: 'orders-db:16.4',
    memoryLimit: '512Mi',
    memoryRequest: '64Mi',
    volumes: [{ name: VOLUME, nfs: { server: 'storage.shop.example', path: '/exports/{namespace}/orders-db' } }],
    mounts: [{ name: VOLUME, mountPath: '/var/lib/orders' }],
  },
  PORT,
);

const callerManifests = CALLERS.flatMap((name) =>
  app({
    name,
    image: `${name}:2.2.0`,
    replicas: 2,
    memoryLimit: '128Mi',
    memoryRequest: '32Mi',
    env: [{ name: 'ORDERS_DB', value: `${DATABASE}:${PORT}` }],
  }),
);

/** The export outlives every pod, so what was damaged in it stays damaged whatever is restarted. */
const databaseBehaviours: readonly Behaviour[] = [
  {
    workload: DATABASE,
    when: { kind: 'marker', volume: VOLUME, marker: DAMAGE },
    run: {
      log: [
        { at: 0, text: '{time} LOG:  starting orders-db 16.4' },
        { at: 1, text: '{time} LOG:  database system was interrupted while in recovery' },
        {
          at: 2,
          text: '{time} PANIC:  could not read block 4711 of relation base/16384/2619: invalid page checksum, data is corrupted',
        },
      ],
      readyAfter: 'never',
      exit: { after: 2, code: 134, reason: 'Error' },
    },
  },
  {
    workload: DATABASE,
    when: { kind: 'always' },
    run: {
      log: [
        { at: 0, text: '{time} LOG:  starting orders-db 16.4' },
        { at: 2, text: `{time} LOG:  database system is ready to accept connections on port ${PORT}` },
        { at: 75, text: '{time} PANIC:  could not write block 4711 of relation base/16384/2619: Input/output error' },
      ],
      exit: { after: 75, code: 134, reason: 'Error' },
      leaves: [{ volume: VOLUME, marker: DAMAGE }],
    },
  },
];

const REFUSED = `{time} error connect to ${DATABASE}.{namespace}.svc.cluster.local:${PORT}: dial tcp: connect: connection refused`;

const callerBehaviours: readonly Behaviour[] = CALLERS.flatMap((workload): readonly Behaviour[] => [
  {
    workload,
    when: { kind: 'service-without-endpoints', service: DATABASE },
    run: {
      log: [
        { at: 0, text: '{time} info starting {image}' },
        { at: 2, text: REFUSED },
        { at: 5, text: `{time} fatal no connection to ${DATABASE} after 3 attempts, exiting` },
      ],
      readyAfter: 'never',
      exit: { after: 5, code: 1, reason: 'Error' },
    },
  },
  {
    workload,
    when: { kind: 'always' },
    run: { ...healthyScript('processed 40 orders'), needs: { service: DATABASE, log: REFUSED, code: 1 } },
  },
]);

function callerIncident(name: string): ExpectedIncident {
  return {
    key: name,
    workload: { kind: 'Deployment', name },
    certainty: 'likely',
    cause: { kind: 'upstream', of: DATABASE, service: DATABASE },
    proposal: { kind: 'none', why: 'cause-elsewhere' },
    final: { state: 'Escalated', reason: 'UpstreamCause' },
    verifications: [],
  };
}

export const upstream: Story = {
  id: 'upstream',
  title: 'A database takes its callers down',
  summary:
    'A database crashes on damaged data and three callers fail with it. One cause is named, there is no safe action, and nothing is done to the callers.',
  simulated: [
    ...ALWAYS_SIMULATED,
    'there is no storage server: the damage is a mark that every later pod of the database finds',
  ],
  approvers: 1,
  timeline: [
    ...opening(databaseManifests),
    {
      do: 'wait-until',
      note: 'the database is up',
      until: { kind: 'rolled-out', deployment: DATABASE },
      withinSeconds: 120,
    },
    { do: 'apply', note: 'its callers are installed', manifests: callerManifests },
    ALL_UP,
    crashLoop(DATABASE),
    ...CALLERS.map(crashLoop),
  ],
  behaviours: [...databaseBehaviours, ...callerBehaviours, ...BACKGROUND_BEHAVIOURS],
  alerts: [DATABASE, ...CALLERS].flatMap(workloadAlerts),
  director: [escalates(DATABASE, 'NoPlanProduced'), ...CALLERS.map((name) => escalates(name, 'UpstreamCause'))],
  expected: {
    incidents: [
      {
        key: DATABASE,
        workload: { kind: 'Deployment', name: DATABASE },
        certainty: 'likely',
        cause: { kind: 'crash-application', line: 'data is corrupted' },
        proposal: { kind: 'none', why: 'no-safe-action' },
        final: { state: 'Escalated', reason: 'NoPlanProduced' },
        verifications: [],
      },
      ...CALLERS.map(callerIncident),
    ],
    writes: [],
    benign: [],
  },
};
