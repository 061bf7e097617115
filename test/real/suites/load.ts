import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@hephaisto/test/verifies';
import { systemClock } from '../../../operator/src/adapters/clock/clock.ts';
import { createIds } from '../../../operator/src/adapters/ids/ids.ts';
import { ADMIN, startSimulatedCluster } from '../../../operator/src/demo/cluster/simulated-cluster.ts';
import { demoInput } from '../../../operator/src/demo/demo-config.ts';
import { createOperatorIdentity, OPERATOR } from '../../../operator/src/demo/identity/operator-identity.ts';
import { alert, webhookBody } from '../../src/alerts.ts';
import { freePorts } from '../../world/child.ts';
import type { Context } from '../context.ts';
import { playRun } from '../crashes/play-run.ts';
import { PLOTS } from '../crashes/plots.ts';
import type { Running } from '../crashes/running.ts';
import { noteRequests } from '../harness/asked.ts';
import { freshDatabase } from '../harness/databases.ts';
import { type OperatorProcess, startOperatorProcess } from '../harness/operator.ts';
import { until } from '../harness/until.ts';

const FAULTS = 250;
const PODS_A_FAULT = 16;
const TIMES_TOLD = 5;
const ALERTS_A_BODY = 50;
const KILLS = 5;
const SENDERS = 6;

interface Told {
  readonly fault: string;
  readonly pod: string;
  readonly status: 'firing' | 'resolved';
}

/** Alerts by the thousand from a sender that repeats, reorders and tries again, while the operator, or its database, is killed. */
export async function runLoad(context: Context): Promise<void> {
  verifies('H3-2', 'H3-30', 'H3-32');
  const total = FAULTS * PODS_A_FAULT * TIMES_TOLD;
  await context.check(
    `${total} alerts, the operator killed ${KILLS} times: each is kept once, each fault has one incident or is in the storm`,
    () => flood(context),
  );
  await context.check(
    'the database killed for 10 s under 200 alerts/s: what was taken is there, nothing was written to the cluster',
    () => withoutDatabase(context),
  );
}

async function flood(context: Context): Promise<void> {
  const world = await context.world();
  const cluster = await startSimulatedCluster({ now: () => new Date(), ids: createIds(systemClock) });
  noteRequests(cluster.requests);
  await createOperatorIdentity(cluster.kubeconfigFor(ADMIN));
  const [port] = (await freePorts(1)) as [number];
  const token = randomBytes(24).toString('base64url');
  const input = demoInput({ port, folder: '', speed: 20, alertmanagerUrl: 'http://127.0.0.1:9', webhookToken: token });
  const { namespace, serviceAccount: name } = OPERATOR;
  const start = () =>
    startOperatorProcess({
      name: 'load',
      folder: world.folder,
      // Storms as they are by default; what quiet would end is to be counted.
      config: { ...input, database, server: { ...input.server, maxEventLoopDelay: '10m' }, incidents: { quiet: '1h' } },
      kubeconfigYaml: cluster.kubeconfigFor({ serviceAccount: { namespace, name } }),
      leaseTimes: { ttlMs: 2_000, renewMs: 500 },
    });
  const database = await freshDatabase(world, 'pg');
  let operator = await start();
  try {
    const bodies = bodiesOf(tellings(), shuffler(1));
    const taken: (readonly Told[])[] = [];
    let refused = 0;
    const queue = [...bodies];
    const sender = async () => {
      for (let body = queue.shift(); body !== undefined; body = queue.shift()) {
        while (!(await post(port, token, body))) {
          if (context.signal.aborted) throw context.signal.reason;
          refused += 1;
          await sleep(200);
        }
        taken.push(body);
      }
    };
    const killer = async () => {
      for (let kill = 1; kill <= KILLS; kill += 1) {
        await until('enough was taken', () => taken.length >= (bodies.length * kill) / (KILLS + 1), 300, 20);
        operator.signal('SIGKILL');
        await operator.gone;
        operator = await start();
      }
    };
    await Promise.all([killer(), ...Array.from({ length: SENDERS }, sender)]);
    context.say(`${taken.length} bodies taken, ${refused} times nobody answered or 503`);
    await until('all is settled', async () => (await pending(operator)) === 0, 300, 500);
    await judgeFlood(operator, taken.flat(), bodies.length);
  } finally {
    await operator.stop();
    await cluster.close();
  }
}

/** Each pod of each fault told several times, the last of some of them as resolved. */
function tellings(): readonly Told[] {
  return Array.from({ length: TIMES_TOLD }, (_, time) =>
    Array.from({ length: FAULTS * PODS_A_FAULT }, (_, n): Told => {
      const fault = `fault-${n % FAULTS}`;
      const ends = time === TIMES_TOLD - 1 && n % 3 === 0;
      return { fault, pod: `${fault}-${Math.floor(n / FAULTS)}`, status: ends ? 'resolved' : 'firing' };
    }),
  ).flat();
}

/** Bodies as the sender's groups fill them, in another order than that of what happened. */
function bodiesOf(told: readonly Told[], shuffle: <T>(list: readonly T[]) => T[]): readonly (readonly Told[])[] {
  const mixed = shuffle(told);
  return shuffle(
    Array.from({ length: Math.ceil(mixed.length / ALERTS_A_BODY) }, (_, n) =>
      mixed.slice(n * ALERTS_A_BODY, (n + 1) * ALERTS_A_BODY),
    ),
  );
}

function shuffler(seed: number): <T>(list: readonly T[]) => T[] {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
  return (list) =>
    list
      .map((item) => ({ item, key: random() }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item);
}

async function post(port: number, token: string, body: readonly Told[]): Promise<boolean> {
  const alerts = body.map(({ fault, pod, status }) =>
    alert({
      labels: { alertname: 'KubePodCrashLooping', namespace: 'shop', deployment: fault, pod, severity: 'warning' },
      status,
    }),
  );
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/webhooks/alertmanager`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: webhookBody(alerts),
      signal: AbortSignal.timeout(30_000),
    });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

async function pending(operator: OperatorProcess): Promise<number> {
  const [row] = await operator.query<{ n: number }>(
    `SELECT (SELECT count(*) FROM intake WHERE status = 'Pending')::int + (SELECT count(*) FROM signals WHERE disposition = 'pending')::int AS n`,
  );
  return row?.n ?? -1;
}

async function judgeFlood(operator: OperatorProcess, taken: readonly Told[], bodies: number): Promise<void> {
  const [kept] = await operator.query<{ bodies: number; poison: number; alerts: number }>(
    `SELECT count(*)::int AS bodies, count(*) FILTER (WHERE status = 'Poison')::int AS poison, sum(alerts)::int AS alerts FROM intake`,
  );
  // A body whose 2xx died with the process was sent again: more bodies may be kept than were thanked for, never fewer.
  if (kept === undefined || kept.bodies < bodies || kept.poison > 0)
    throw new Error(`expected ${bodies} bodies and none put aside, found ${JSON.stringify(kept)}`);
  const rows = await operator.query<{ pod: string; fault: string; n: number; told: number }>(
    `SELECT pod_name AS pod, owner_name AS fault, count(*)::int AS n, sum(occurrences)::int AS told FROM signals
     WHERE source = 'alertmanager' GROUP BY pod_name, owner_name`,
  );
  const wanted = new Set(taken.map(({ pod }) => pod));
  const seen = new Set(rows.map(({ pod }) => pod));
  const missing = [...wanted].filter((pod) => !seen.has(pod));
  const doubled = rows.filter(({ n }) => n !== 1);
  const told = rows.reduce((sum, row) => sum + row.told, 0);
  if (missing.length > 0 || doubled.length > 0 || told !== kept.alerts)
    throw new Error(
      `expected each of ${wanted.size} alerts once and ${kept.alerts} tellings counted, found ${missing.length} missing, ${doubled.length} doubled, ${told} counted`,
    );
  const incidents = await operator.query<{ owner: string; n: number; storms: number }>(
    `SELECT s.owner_name AS owner, count(DISTINCT i.id) FILTER (WHERE NOT i.is_meta)::int AS n,
       count(DISTINCT i.id) FILTER (WHERE i.is_meta)::int AS storms
     FROM signals s LEFT JOIN incidents i ON i.id = s.incident_id WHERE s.source = 'alertmanager' GROUP BY s.owner_name`,
  );
  const astray = incidents.filter(({ n, storms }) => n > 1 || n + storms === 0 || storms > 1);
  const [meta] = await operator.query<{ n: number }>('SELECT count(*)::int AS n FROM incidents WHERE is_meta');
  if (incidents.length !== FAULTS || astray.length > 0 || meta?.n !== 1)
    throw new Error(
      `expected ${FAULTS} faults with one incident each or in the one storm, found ${incidents.length} faults, ${meta?.n} storms, astray: ${JSON.stringify(astray.slice(0, 5))}`,
    );
}

const OUTAGE_MS = 10_000;
const BODIES_A_SECOND = 20;
const ALERTS_A_TELLING = 10;

/** An action is about to be sent when the database goes: nothing may reach the cluster until it is back. */
async function withoutDatabase(context: Context): Promise<void> {
  const world = await context.world();
  const { postgres } = world;
  if (postgres === undefined) throw new Error('expected a world with PostgreSQL; this is a bug in the test runner');
  const story = PLOTS.find(({ name }) => name === 'acts-alone');
  if (story === undefined) throw new Error('expected the story `acts-alone`; this is a bug in the test runner');
  const result = await playRun({
    plot: {
      ...story,
      async play(run) {
        const operator = await run.process();
        await operator.reached('act:dry-run-ended');
        const flow = startFlow(run);
        await sleep(3_000);
        await postgres.stop('SIGKILL');
        const from = Date.now();
        const seen = run.world.cluster.requests.writes().length;
        operator.release('act:dry-run-ended');
        await sleep(OUTAGE_MS);
        const meanwhile = run.world.cluster.requests
          .writes()
          .slice(seen)
          .filter(({ user, resource }) => user.endsWith(`:${OPERATOR.serviceAccount}`) && resource !== 'leases');
        await postgres.start();
        context.say(`the database was away for ${((Date.now() - from) / 1_000).toFixed(1)} s`);
        await sleep(5_000);
        const flowed = await flow.stop();
        context.say(`${flowed.taken.length} alerts taken, ${flowed.refused} posts without 2xx`);
        if (meanwhile.length > 0)
          throw new Error(
            `expected no write to the cluster meanwhile, found ${meanwhile.map(({ verb, path }) => `${verb} ${path}`).join('; ')}`,
          );
        await run.incident('checkout', ['Resolved', 'Escalated']);
        await run.until('all is settled', async () => {
          const rows = await run.rows(`SELECT 1 FROM intake WHERE status = 'Pending'`);
          return rows.length === 0;
        });
        const kept = await run.rows<{ pod: string; n: number }>(
          `SELECT pod_name AS pod, count(*)::int AS n FROM signals WHERE owner_name = 'flood' GROUP BY pod_name`,
        );
        const names = new Set(kept.map(({ pod }) => pod));
        const lost = flowed.taken.filter((pod) => !names.has(pod));
        if (lost.length > 0 || kept.some(({ n }) => n !== 1))
          throw new Error(
            `expected every alert that was taken once, found ${lost.length} lost of ${flowed.taken.length}`,
          );
        if (flowed.refused === 0) throw new Error('expected posts to be turned away meanwhile, found none');
      },
    },
    database: await freshDatabase(world, 'pg'),
    folder: world.folder,
    name: 'without-database',
    faults: [[{ point: 'act:dry-run-ended', does: 'hold' }]],
  });
  if (result.differences.length > 0) throw new Error(result.differences.join('\n'));
}

/** Posts alerts at a steady rate, each as often as it takes while the flow goes on; what got 2xx is remembered. */
function startFlow(run: Running) {
  const taken: string[] = [];
  let refused = 0;
  let count = 0;
  let stopped = false;
  const sending = new Set<Promise<void>>();
  const send = async (pods: readonly string[]) => {
    const ok = await run.tell(
      pods.map((pod) => ({
        alertname: 'KubePodNotReady',
        namespace: 'far',
        deployment: 'flood',
        pod,
        severity: 'warning',
      })),
    );
    if (ok) taken.push(...pods);
    else refused += 1;
  };
  const ticking = (async () => {
    while (!stopped) {
      const pods = Array.from({ length: ALERTS_A_TELLING }, () => `flood-${count++}`);
      const one = send(pods).finally(() => sending.delete(one));
      sending.add(one);
      await sleep(1_000 / BODIES_A_SECOND);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await ticking;
      await Promise.all(sending);
      return { taken, refused };
    },
  };
}
