import type { IncidentReport } from '@hephaisto/core/report/incident';
import type { Health, Switch } from '@hephaisto/core/report/installation';
import type { Page } from '@hephaisto/core/report/named';
import type { Signal } from '@hephaisto/core/report/signal';
import { verifies } from '@hephaisto/test/verifies';
import type { PersonClient } from '../../../operator/src/demo/director/person.ts';
import { OPERATOR } from '../../../operator/src/demo/identity/operator-identity.ts';
import { CONFIG_MAPS, NAMESPACES } from '../../../operator/src/demo/kube-client/resource.ts';
import { namespaceManifest } from '../../../operator/src/demo/stories/manifests.ts';
import type { World } from '../../world/world.ts';
import type { Context } from '../context.ts';
import { auditOfOperator, openWatches } from '../harness/audit.ts';
import { type Actor, startActor } from '../harness/casting.ts';
import { type RealCluster, WORLD_SPEED } from '../harness/cluster.ts';
import { type DatabaseInput, freshDatabase } from '../harness/databases.ts';
import { expectEqual, expectWrites, realWrites } from '../harness/expect.ts';
import { answerWord, approve, awaitIncident, awaitProposal, incidentsIn, plantFault } from '../harness/fault.ts';
import { until } from '../harness/until.ts';
import { webhookBody } from '../harness/webhook.ts';

/** Within which somebody else leads after a leader was killed. */
const TAKEOVER_SECONDS = 15;
/** Within which a switch that was set on one replica holds on the other. */
const SWITCH_MS = 1_000;
/** Alerts sent while nobody leads. */
const ALERTS_IN_BETWEEN = 30;

interface Pair {
  readonly world: World;
  readonly cluster: RealCluster;
  readonly database: DatabaseInput;
  readonly start: (name: string) => Promise<Actor>;
}

/** Two operators on one PostgreSQL: who leads, what is lost when a leader is killed (nothing), and whose word counts (anybody's, at once). */
export async function runReplicas(context: Context): Promise<void> {
  verifies('H3-198', 'H3-59');
  const world = await context.world();
  const cluster = await context.cluster();
  const database = await freshDatabase(world, 'pg');
  const start = (name: string) => startActor(world, cluster, { name, speed: WORLD_SPEED, database });
  const pair: Pair = { world, cluster, database, start };
  const actors: Actor[] = [];
  try {
    const first = await start('replica-a');
    actors.push(first);
    await until('the first replica watches', async () => (await watchWord(first)).includes('watched'));
    const second = await start('replica-b');
    actors.push(second);
    await context.check('both serve the same, and one set of watches is open', () => bothServe(pair, first, second));
    await context.check('a person who signed in at one approves at the other', () =>
      approvedElsewhere(pair, first, second),
    );
    await context.check(
      `kill -9 of the leader: another leads within ${TAKEOVER_SECONDS} s, and nothing that happened in between is lost`,
      () => leaderKilled(context, pair, first, second),
    );
    const third = await start('replica-c');
    actors.push(third);
    await context.check(`the stop set on one refuses on the other within ${SWITCH_MS} ms, and goes off again`, () =>
      stopHolds(context, pair, second, third),
    );
    await context.check(`the ConfigMap's mode holds on both within ${SWITCH_MS} ms`, () =>
      configMapHolds(context, pair, [second, third]),
    );
    await context.check('a leader that slept past its lease comes back to one set of watches', () =>
      leaderSlept(pair, second, third),
    );
  } finally {
    await Promise.all(actors.map(({ operator }) => operator.stop()));
  }
}

async function health(person: PersonClient): Promise<Health> {
  return person.get<Health>('/api/v1/health');
}

async function watchWord({ people }: Actor): Promise<string> {
  return (await health(people.vic)).components.find(({ name }) => name === 'watch')?.message ?? '';
}

async function expectOneSet({ cluster }: Pair): Promise<void> {
  let found: Readonly<Record<string, number>> = {};
  await until('one set of watches is open', async () => {
    const { configmaps: _own, ...rest } = openWatches(await auditOfOperator(cluster.auditLog));
    found = rest;
    return Object.keys(rest).length > 0 && Object.values(rest).every((count) => count === 1);
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(found)}`);
  });
}

async function bothServe(pair: Pair, first: Actor, second: Actor): Promise<void> {
  for (const { operator } of [first, second])
    expectEqual('readiness', (await fetch(`${operator.url}/readyz`)).status, 200);
  await expectOneSet(pair);
  expectEqual(
    'who watches',
    [await watchWord(first), await watchWord(second)].map((word) => word.includes('another')),
    [false, true],
  );
}

async function approvedElsewhere({ cluster }: Pair, first: Actor, second: Actor): Promise<void> {
  const fault = await plantFault(cluster, 'bad-rollout', 'either');
  const shown = await awaitProposal(first.people.vic, fault.namespace);
  expectEqual(
    'what the other one shows',
    (await awaitProposal(second.people.vic, fault.namespace)).digest,
    shown.digest,
  );
  expectEqual('the vote', answerWord(await approve(second.people.ana, shown)), '200 Approved');
  expectEqual('the same vote again', answerWord(await approve(first.people.ben, shown)), '409 already-decided');
  await awaitIncident(first.people.vic, fault.namespace, 'Resolved', ({ state }) => state === 'Resolved', 90);
  expectWrites(await realWrites(cluster.auditLog, fault.namespace), 1);
  await fault.remove();
}

async function leaderKilled(context: Context, pair: Pair, leader: Actor, other: Actor): Promise<void> {
  const { cluster } = pair;
  const alerts = `bad-rollout-alerts-${Math.floor(Date.now() / 1000)
    .toString(36)
    .slice(-5)}`;
  await cluster.client.create(NAMESPACES, namespaceManifest(alerts));
  const killedAt = Date.now();
  leader.operator.signal('SIGKILL');
  await leader.operator.gone;
  // All of it happens while nobody watches: two faults that only a watch tells, and alerts to the one that is left.
  const planting = Promise.all([
    plantFault(cluster, 'bad-rollout', 'gap'),
    plantFault(cluster, 'image-missing-standing', 'gap'),
  ]);
  for (let n = 0; n < ALERTS_IN_BETWEEN; n += 1) {
    const answer = await fetch(`${other.operator.url}/webhooks/alertmanager`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${other.token}` },
      body: webhookBody({ alertname: 'QueueGrows', namespace: alerts, queue: `queue-${n}` }),
    });
    expectEqual('the answer to an alert', answer.ok, true);
  }
  const planted = planting.then((faults) => faults);
  await until('the other one watches', async () => (await watchWord(other)).includes('watched'), TAKEOVER_SECONDS);
  const tookMs = Date.now() - killedAt;
  context.say(`leadership moved within ${tookMs} ms`);
  if (tookMs > TAKEOVER_SECONDS * 1000) throw new Error(`expected ${TAKEOVER_SECONDS} s, found ${tookMs} ms`);
  const [rollout, standing] = await planted;
  if (rollout === undefined || standing === undefined) throw new Error('expected two faults');
  await awaitProposal(other.people.vic, rollout.namespace, 90);
  await awaitIncident(other.people.vic, standing.namespace, 'Escalated', ({ state }) => state === 'Escalated', 90);
  await until(`all ${ALERTS_IN_BETWEEN} alerts are there once`, async () => {
    const { items } = await other.people.vic.get<Page<Signal>>('/api/v1/signals?source=alertmanager&limit=200');
    const own = items.filter(({ namespace }) => namespace === alerts).map(({ labels }) => labels.queue);
    return own.length === ALERTS_IN_BETWEEN && new Set(own).size === ALERTS_IN_BETWEEN;
  });
  await expectOneSet(pair);
  await rollout.remove();
  await standing.remove();
  await cluster.client.remove(NAMESPACES, undefined, alerts);
}

async function setStop(person: PersonClient, value: 'on' | 'off'): Promise<void> {
  const { items } = await person.get<{ items: readonly Switch[] }>('/api/v1/switches');
  const seen = items.find(({ name }) => name === 'emergency_stop')?.version ?? 0;
  const answer = await person.put(
    '/api/v1/switches/emergency_stop',
    { value, reason: 'a test asks for it' },
    { 'if-match': `"${seen}"` },
  );
  expectEqual('the answer to the switch', answer.status, 200);
}

async function stopHolds(context: Context, { cluster }: Pair, one: Actor, other: Actor): Promise<void> {
  const fault = await plantFault(cluster, 'bad-rollout', 'stop');
  const shown = await awaitProposal(other.people.vic, fault.namespace);
  await setStop(one.people.rui, 'on');
  const setAt = Date.now();
  const answer = answerWord(await approve(other.people.ana, shown));
  const refusedMs = Date.now() - setAt;
  context.say(`refused ${refusedMs} ms after the stop: ${answer}`);
  // Whoever is told "void" hears of a decision that the stop has already taken.
  if (!['409 switched-off', '409 target-changed', '409 already-decided'].includes(answer))
    throw new Error(`expected a refusal, found ${answer}`);
  await until('the other one says so too', async () => (await health(other.people.vic)).actions.emergencyStop, 1, 50);
  await setStop(one.people.ada, 'off');
  expectWrites(await realWrites(cluster.auditLog, fault.namespace), 0);
  await fault.remove();
}

async function configMapHolds(context: Context, { cluster }: Pair, actors: readonly Actor[]): Promise<void> {
  const { namespace, configMap } = OPERATOR;
  const set = (mode: string) =>
    cluster.client.patch(CONFIG_MAPS, namespace, configMap, [{ op: 'replace', path: '/data/mode', value: mode }]);
  const both = (mode: string) => async () =>
    (await Promise.all(actors.map(({ people }) => health(people.vic)))).every(({ actions }) => actions.mode === mode);
  try {
    await set('observe');
    const setAt = Date.now();
    await until('both are in mode observe', both('observe'), SWITCH_MS / 1000, 50);
    context.say(`both in mode observe after ${Date.now() - setAt} ms`);
  } finally {
    await set('approve');
    await until('both are in mode approve', both('approve'), SWITCH_MS / 1000, 50);
  }
}

async function leaderSlept(pair: Pair, leader: Actor, other: Actor): Promise<void> {
  leader.operator.signal('SIGSTOP');
  try {
    await until('the other one watches', async () => (await watchWord(other)).includes('watched'), TAKEOVER_SECONDS);
    const fault = await plantFault(pair.cluster, 'image-missing-standing', 'slept');
    leader.operator.signal('SIGCONT');
    await awaitIncident(other.people.vic, fault.namespace, 'Escalated', ({ state }) => state === 'Escalated', 60);
    await until('the old one stands by', async () => (await watchWord(leader)).includes('another'));
    await expectOneSet(pair);
    const found: readonly IncidentReport[] = await incidentsIn(other.people.vic, fault.namespace);
    expectEqual('how many incidents the fault has', found.length, 1);
    await fault.remove();
  } finally {
    leader.operator.signal('SIGCONT');
  }
}
