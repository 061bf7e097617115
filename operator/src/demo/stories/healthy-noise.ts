import { BACKGROUND_BEHAVIOURS, healthyScript, opening } from './background.ts';
import type { Behaviour } from './behaviour.ts';
import type { Stimulus } from './expected.ts';
import { app, job, shopImage } from './manifests.ts';
import { ALL_UP, ALWAYS_SIMULATED } from './recurring-parts.ts';
import type { Manifest, Story, WorldStep } from './story.ts';

const SMALL = { memoryLimit: '64Mi', memoryRequest: '16Mi', cpuRequest: '10m' } as const;

const MANIFESTS: readonly Manifest[] = [
  ...app({ ...SMALL, name: 'newsletter', image: 'newsletter:1.4.0', replicas: 2 }),
  ...app({ ...SMALL, name: 'profile', image: 'profile:2.0.1', replicas: 2 }),
  ...app({ ...SMALL, name: 'quotes', image: 'quotes:0.8.0' }),
  ...app({ ...SMALL, name: 'promo', image: 'promo:1.0.0', replicas: 2 }),
  ...app({ ...SMALL, name: 'delivery', image: 'delivery:3.1.0', replicas: 2 }),
  ...app({ ...SMALL, name: 'ratings', image: 'ratings:1.9.2', replicas: 2 }),
];

const BEHAVIOURS: readonly Behaviour[] = [
  {
    workload: 'quotes',
    when: { kind: 'restarts-below', count: 1 },
    run: { ...healthyScript('quoted 12 carts'), exit: { after: 100, code: 1, reason: 'Error' } },
  },
  {
    workload: 'ratings',
    when: { kind: 'ordinal', equals: 0 },
    run: {
      ...healthyScript('rated 9 products'),
      unready: [{ from: 120, to: 132 }],
      probeOutput: 'HTTP probe failed with statuscode: 503',
    },
  },
  {
    workload: 'translator',
    when: { kind: 'always' },
    run: {
      ...healthyScript('translated 3 texts'),
      readyAfter: 45,
      probeOutput: 'Get "http://10.244.0.2:8080/ready": dial tcp 10.244.0.2:8080: connect: connection refused',
    },
  },
  {
    workload: 'sync-prices',
    when: { kind: 'ordinal', equals: 0 },
    run: {
      log: [{ at: 3, text: '{time} error price feed timed out, will be tried again' }],
      exit: { after: 4, code: 1, reason: 'Error' },
    },
  },
];

function pause(seconds: number): WorldStep {
  return { do: 'wait', note: 'time passes', seconds };
}

const STEPS: readonly WorldStep[] = [
  {
    do: 'set-image',
    note: 'newsletter is rolled out as planned',
    deployment: 'newsletter',
    container: 'newsletter',
    image: shopImage('newsletter:1.4.1'),
  },
  pause(40),
  { do: 'restart', note: 'profile is restarted as planned', deployment: 'profile' },
  pause(40),
  { do: 'scale', note: 'somebody scales promo to zero', deployment: 'promo', replicas: 0 },
  pause(30),
  { do: 'scale', note: 'somebody scales delivery from 2 to 4', deployment: 'delivery', replicas: 4 },
  pause(40),
  {
    do: 'apply',
    note: 'two jobs run: one ends well at once, one at its second try',
    manifests: [
      job({ ...SMALL, name: 'nightly-totals', image: 'nightly-totals:1.2.0' }),
      job({ ...SMALL, name: 'sync-prices', image: 'sync-prices:1.2.0' }),
    ],
  },
  { do: 'wait-until', note: 'both are done', until: { kind: 'job-complete', job: 'sync-prices' }, withinSeconds: 120 },
  {
    do: 'post-event',
    note: 'a warning of two hours ago is still listed',
    workload: 'catalog',
    component: 'kubelet',
    event: {
      type: 'Warning',
      reason: 'BackOff',
      message: 'Back-off restarting failed container catalog in pod catalog',
      count: 4,
    },
    secondsAgo: 7200,
  },
  pause(30),
  { do: 'cordon', note: 'node-c is cordoned for maintenance', node: 'node-c' },
  pause(60),
  { do: 'uncordon', note: 'node-c takes pods again', node: 'node-c' },
  { do: 'delete-pod', note: 'somebody deletes a pod of search', workload: 'search' },
  pause(40),
  { do: 'evict-pod', note: 'a pod of images is evicted', workload: 'images' },
  pause(40),
  {
    do: 'apply',
    note: 'translator is installed and takes long to start',
    manifests: app({ ...SMALL, name: 'translator', image: 'translator:5.0.0' }),
  },
  pause(220),
];

const STIMULI: readonly Stimulus[] = [
  { name: 'planned-rollout', source: 'watch', about: 'Deployment/newsletter', why: 'a rollout that makes progress' },
  { name: 'planned-restart', source: 'watch', about: 'Deployment/profile', why: 'a restart that makes progress' },
  { name: 'one-restart', source: 'watch', about: 'Deployment/quotes', why: 'one restart, and it runs' },
  { name: 'scaled-to-zero', source: 'watch', about: 'Deployment/promo', why: 'zero is what somebody asked for' },
  { name: 'scaled-up', source: 'watch', about: 'Deployment/delivery', why: 'the missing replicas are on their way' },
  { name: 'completed-job', source: 'watch', about: 'Job/nightly-totals', why: 'a job that ended well' },
  { name: 'retried-job', source: 'watch', about: 'Job/sync-prices', why: 'a failed try within the back-off limit' },
  { name: 'old-warning', source: 'watch', about: 'Deployment/catalog', why: 'an event of two hours ago' },
  { name: 'cordoned-node', source: 'watch', about: 'Node/node-c', why: 'somebody cordoned it' },
  { name: 'deleted-pod', source: 'watch', about: 'Deployment/search', why: 'its controller has made another' },
  { name: 'evicted-pod', source: 'watch', about: 'Deployment/images', why: 'its controller has made another' },
  { name: 'slow-start', source: 'watch', about: 'Deployment/translator', why: 'still within its time to start' },
  { name: 'readiness-blip', source: 'watch', about: 'Deployment/ratings', why: 'one probe failed, the next did not' },
  {
    name: 'watchdog-alert',
    source: 'alertmanager',
    about: 'Watchdog',
    why: 'fires always, to show that alerting works',
  },
  { name: 'inhibitor-alert', source: 'alertmanager', about: 'InfoInhibitor', why: 'says nothing by itself' },
];

export const healthyNoise: Story = {
  id: 'healthy-noise',
  title: 'Ten minutes in which nothing is wrong',
  summary:
    'Fifteen things happen that look like trouble and are none. No incident is opened, and each is listed with why it opened nothing.',
  simulated: ALWAYS_SIMULATED,
  approvers: 1,
  timeline: [...opening(MANIFESTS), ALL_UP, ...STEPS],
  behaviours: [...BEHAVIOURS, ...BACKGROUND_BEHAVIOURS],
  alerts: [
    {
      kind: 'scripted',
      labels: { alertname: 'Watchdog', severity: 'none', prometheus: 'monitoring/k8s' },
      annotations: {
        summary: 'An alert that should always be firing to certify that Alertmanager is working properly.',
        description: 'This is an alert meant to ensure that the entire alerting pipeline is functional.',
      },
      from: 0,
    },
    {
      kind: 'scripted',
      labels: { alertname: 'InfoInhibitor', severity: 'none', namespace: '{namespace}', prometheus: 'monitoring/k8s' },
      annotations: { summary: 'Info-level alert inhibition.' },
      from: 120,
      to: 400,
    },
    { kind: 'rule', rule: 'KubePodCrashLooping', forSeconds: 20 },
    { kind: 'rule', rule: 'KubeDeploymentReplicasMismatch', forSeconds: 90 },
    { kind: 'rule', rule: 'KubeJobFailed', forSeconds: 20 },
  ],
  director: [{ act: 'watch', seconds: 30 }],
  expected: { incidents: [], writes: [], benign: STIMULI },
};
