import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { verifies } from '@hephaisto/test/verifies';
import { demoPolicy } from '../../../operator/src/demo/demo-config.ts';
import type { ApiAnswer, PersonClient } from '../../../operator/src/demo/director/person.ts';
import { DEPLOYMENTS } from '../../../operator/src/demo/kube-client/resource.ts';
import type { Context } from '../context.ts';
import { type Actor, startActor } from '../harness/casting.ts';
import { type RealCluster, WORLD_SPEED } from '../harness/cluster.ts';
import { freshDatabase } from '../harness/databases.ts';
import { expectEqual, expectWrites, realWrites } from '../harness/expect.ts';
import {
  answerWord,
  approve,
  awaitIncident,
  awaitProposal,
  deny,
  incidentsIn,
  type OpenProposal,
  type PlantedFault,
  plantFault,
} from '../harness/fault.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

interface Duel {
  readonly cluster: RealCluster;
  readonly one: Actor;
  readonly other: Actor;
  readonly fault: PlantedFault;
  readonly shown: OpenProposal;
}

interface Race {
  readonly word: string;
  readonly title: string;
  /** What is set off at the same moment as an approval through the first replica. */
  rival(duel: Duel): Promise<ApiAnswer | undefined>;
  /** Words that the rival may be answered with when the approval won, and when it lost. */
  readonly whenApproved: readonly string[];
  readonly whenNot: readonly string[];
  readonly approvalRefused: readonly string[];
}

const RACES: readonly Race[] = [
  {
    word: 'approve',
    title: 'an approval against another through the other replica',
    rival: ({ other, shown }) => approve(other.people.ben, shown),
    whenApproved: ['409 already-decided'],
    whenNot: ['200 Approved'],
    approvalRefused: ['409 already-decided'],
  },
  {
    word: 'deny',
    title: 'an approval against a denial through the other replica',
    rival: ({ other, shown }) => deny(other.people.ben, shown),
    whenApproved: ['409 already-decided'],
    whenNot: ['200 Denied'],
    approvalRefused: ['409 already-decided'],
  },
  {
    word: 'target',
    title: 'an approval against somebody who scales the target',
    async rival({ cluster, fault }) {
      const { items } = await cluster.client.list(DEPLOYMENTS, fault.namespace);
      const name = items[0]?.metadata.name ?? '';
      await cluster.client.patch(
        DEPLOYMENTS,
        fault.namespace,
        name,
        [{ op: 'replace', path: '/spec/replicas', value: 6 }],
        'scale',
      );
      return undefined;
    },
    whenApproved: [],
    whenNot: [],
    approvalRefused: ['409 target-changed'],
  },
];

/** Orders in which both are set off: who goes first, and by how much. */
const ORDERS: readonly { readonly name: string; readonly approvalAfterMs: number; readonly rivalAfterMs: number }[] = [
  { name: 'at once', approvalAfterMs: 0, rivalAfterMs: 0 },
  { name: 'the approval first', approvalAfterMs: 0, rivalAfterMs: 15 },
  { name: 'the other first', approvalAfterMs: 15, rivalAfterMs: 0 },
];

/** A policy whose proposals are open for so short a time that an approval can meet their end. */
const SHORT_LIFE_MS = 6_000;

/**
 * Decisions that meet, over HTTP, through two operators on one PostgreSQL, on the real control plane. The rows of the same races, and the 200
 * admissions with room for one, are played on PostgreSQL by their own test file, which is run here first.
 */
export async function runRaces(context: Context): Promise<void> {
  verifies('H3-58', 'H3-197', 'H3-198', 'H3-59');
  const world = await context.world();
  const cluster = await context.cluster();
  await context.check(
    '200 admissions with room for one, votes against votes, clock, switch and target, on PostgreSQL',
    () => runFile(context, 'operator/src/act/races.it.test.ts', world.postgres?.testUrl ?? ''),
  );
  const database = await freshDatabase(world, 'pg');
  const start = (name: string, more: { policyText?: string } = {}) =>
    startActor(world, cluster, { name, speed: WORLD_SPEED, database, ...more });
  const actors: Actor[] = [];
  try {
    const one = await start('races-a');
    actors.push(one);
    const other = await start('races-b');
    actors.push(other);
    for (const race of RACES)
      await Promise.all(
        ORDERS.map((order) =>
          context.check(`${race.title}, ${order.name}`, () => duel(cluster, one, other, race, order)),
        ),
      );
    for (const order of ORDERS)
      await context.check(`an approval against the stop, ${order.name}`, () => againstStop(cluster, one, other, order));
    await other.operator.stop();
    await one.operator.stop();
    await context.check('an approval against a policy that was changed, while replicas of both run', () =>
      againstPolicy(cluster, start, actors),
    );
    for (const { operator } of actors) await operator.stop();
    await context.check('an approval against the clock', () => againstClock(cluster, start, actors));
  } finally {
    await Promise.all(actors.map(({ operator }) => operator.stop()));
  }
}

type Order = (typeof ORDERS)[number];

async function after<T>(ms: number, work: () => Promise<T>): Promise<T> {
  if (ms > 0) await sleep(ms);
  return work();
}

async function duel(cluster: RealCluster, one: Actor, other: Actor, race: Race, order: Order): Promise<void> {
  const fault = await plantFault(cluster, 'bad-rollout', race.word);
  const shown = await awaitProposal(one.people.vic, fault.namespace);
  const [vote, rival] = await Promise.all([
    after(order.approvalAfterMs, () => approve(one.people.ana, shown)),
    after(order.rivalAfterMs, () => race.rival({ cluster, one, other, fault, shown })),
  ]);
  const won = answerWord(vote) === '200 Approved';
  const told = `${answerWord(vote)} against ${rival === undefined ? 'the world' : answerWord(rival)}`;
  if (!won && !race.approvalRefused.includes(answerWord(vote))) throw new Error(`expected a refusal, found ${told}`);
  const words = won ? race.whenApproved : race.whenNot;
  if (rival !== undefined && !words.includes(answerWord(rival))) throw new Error(`expected one winner, found ${told}`);
  await settled(
    cluster,
    one.people.vic,
    fault,
    won || (rival !== undefined && answerWord(rival) === '200 Approved'),
    told,
  );
  await fault.remove();
}

/** In the end there is at most one change, and exactly where something was approved and nothing has moved since. */
async function settled(
  cluster: RealCluster,
  onlooker: PersonClient,
  fault: PlantedFault,
  approved: boolean,
  told: string,
): Promise<void> {
  const incident = await awaitIncident(
    onlooker,
    fault.namespace,
    `settled (${told})`,
    ({ state, actions }) =>
      approved
        ? ['Resolved', 'Escalated'].includes(state)
        : ['AwaitingApproval', 'Escalated'].includes(state) && actions.length > 0,
    90,
  );
  const writes = await realWrites(cluster.auditLog, fault.namespace);
  const executed = incident.state === 'Resolved';
  expectWrites(writes, executed ? 1 : writes.length, executed ? 1 : 0);
  if (incident.state === 'Escalated' && approved)
    // What was approved and is not done was refused for what moved, and says so.
    expectEqual(
      'why it was not done',
      ['AdmissionRefused', 'StabilityGate'].includes(incident.escalationReason ?? ''),
      true,
    );
}

async function againstStop(cluster: RealCluster, one: Actor, other: Actor, order: Order): Promise<void> {
  const fault = await plantFault(cluster, 'bad-rollout', 'stop');
  const shown = await awaitProposal(one.people.vic, fault.namespace);
  const [vote, stop] = await Promise.all([
    after(order.approvalAfterMs, () => approve(one.people.ana, shown)),
    after(order.rivalAfterMs, () =>
      other.people.rui.put('/api/v1/switches/emergency_stop', { value: 'on', reason: 'a test asks for it' }),
    ),
  ]);
  const stoppedAt = Date.now();
  expectEqual('the answer to the stop', stop.status, 200);
  await sleep(3_000);
  const writes = await realWrites(cluster.auditLog, fault.namespace);
  const behind = writes.filter(({ receivedAt }) => receivedAt > stoppedAt);
  expectEqual(`writes behind the stop (vote: ${answerWord(vote)})`, behind.length, 0);
  expectEqual('at most one change', writes.length <= 1, true);
  const [incident] = await incidentsIn(one.people.vic, fault.namespace);
  // A vote that was taken before the stop is not lost: it is done already, or refused with a reason.
  if (!['Verifying', 'Resolved', 'Escalated'].includes(incident?.state ?? ''))
    throw new Error(`expected the incident to be settled by the stop, found ${incident?.state} (${answerWord(vote)})`);
  const version = (stop.body as { version?: number }).version ?? 0;
  const off = await one.people.ada.put(
    '/api/v1/switches/emergency_stop',
    { value: 'off', reason: 'a test asks for it' },
    { 'if-match': `"${version}"` },
  );
  expectEqual('the answer to switching off', off.status, 200);
  await fault.remove();
}

type Start = (name: string, more?: { readonly policyText?: string }) => Promise<Actor>;

async function againstPolicy(cluster: RealCluster, start: Start, actors: Actor[]): Promise<void> {
  const old = await start('policy-old');
  actors.push(old);
  const fault = await plantFault(cluster, 'bad-rollout', 'policy');
  const shown = await awaitProposal(old.people.vic, fault.namespace);
  const changed = JSON.stringify({ ...(JSON.parse(demoPolicy(WORLD_SPEED)) as object), note: 'another policy' });
  const next = await start('policy-new', { policyText: changed });
  actors.push(next);
  // Both run for a while, as in an upgrade: neither may take the other's proposals away again and again.
  await sleep(4_000);
  const revised = await awaitProposal(next.people.vic, fault.namespace);
  const [incident] = await incidentsIn(next.people.vic, fault.namespace);
  const revisions = incident?.currentProposal?.revision ?? 0;
  if (revisions > 3)
    throw new Error(`expected a new revision for the new policy, found ${revisions} revisions in four seconds`);
  const late = answerWord(await approve(old.people.ana, shown));
  if (revised.id !== shown.id) expectEqual('a vote on what was shown under the old policy', late, '409 target-changed');
  await old.operator.stop();
  const now = await awaitProposal(next.people.vic, fault.namespace).catch(() => undefined);
  if (now !== undefined) await approve(next.people.ben, now);
  await awaitIncident(next.people.vic, fault.namespace, 'Resolved', ({ state }) => state === 'Resolved', 90);
  expectWrites(await realWrites(cluster.auditLog, fault.namespace), 1);
  await fault.remove();
}

async function againstClock(cluster: RealCluster, start: Start, actors: Actor[]): Promise<void> {
  const policy = JSON.parse(demoPolicy(WORLD_SPEED)) as object;
  const actor = await start('clock', {
    policyText: JSON.stringify({ ...policy, approvalTimeout: `${SHORT_LIFE_MS}ms` }),
  });
  actors.push(actor);
  // Votes around the end: before it they count, behind it they do not, and the row says which.
  await Promise.all(
    [-400, -100, 0, 100].map(async (offset) => {
      const fault = await plantFault(cluster, 'bad-rollout', 'clock');
      const shown = await awaitProposal(actor.people.vic, fault.namespace);
      const [incident] = await incidentsIn(actor.people.vic, fault.namespace);
      const left = Date.parse(incident?.currentProposal?.expiresAt ?? '') - Date.now() + offset;
      await sleep(Math.max(0, left));
      const word = answerWord(await approve(actor.people.ana, shown));
      if (word !== '200 Approved' && word !== '409 already-decided')
        throw new Error(`expected a vote or its refusal, found ${word}`);
      const won = word === '200 Approved';
      const end = await awaitIncident(
        actor.people.vic,
        fault.namespace,
        won ? 'Resolved' : 'Escalated',
        ({ state }) => state === (won ? 'Resolved' : 'Escalated'),
        90,
      );
      if (!won) expectEqual('the escalation', end.escalationReason, 'ApprovalTimeout');
      expectWrites(await realWrites(cluster.auditLog, fault.namespace), won ? 1 : 0);
      await fault.remove();
    }),
  );
}

/** A test file in a process of its own, with the server behind it. */
async function runFile(context: Context, file: string, url: string): Promise<void> {
  const output: string[] = [];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--test', join(ROOT, file)], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '/tmp',
      HEPHAISTO_TEST_DATABASE_URL: url,
      HEPHAISTO_TEST_DATABASE_FOR_ALL: 'server',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: context.signal,
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(output.join('').trim().split('\n').slice(-40).join('\n'));
}
