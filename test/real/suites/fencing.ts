import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@hephaisto/test/verifies';
import { DEPLOYMENTS } from '../../../operator/src/demo/kube-client/resource.ts';
import type { FaultProxy } from '../../world/proxy.ts';
import type { Context } from '../context.ts';
import { type Actor, startActor } from '../harness/casting.ts';
import { type RealCluster, WORLD_SPEED } from '../harness/cluster.ts';
import { freshDatabase } from '../harness/databases.ts';
import { expectEqual, expectWrites, realWrites } from '../harness/expect.ts';
import { answerWord, approve, awaitIncident, awaitProposal, plantFault } from '../harness/fault.ts';
import { until } from '../harness/until.ts';

/** Acting's lease; the shortest that the tests use. */
const LEASE = '2s';
const AFTERMATH_MS = 4_000;

interface Stage {
  readonly cluster: RealCluster;
  readonly proxy: FaultProxy;
  readonly pair: readonly [Actor, Actor];
}

/**
 * Two operators on one PostgreSQL; the one that acts is stopped past its lease's end and goes on afterwards. In each case at most one write
 * takes effect, and what the rows say of it is true in the end.
 */
export async function runFencing(context: Context): Promise<void> {
  verifies('H3-198', 'H4-20', 'H4-116');
  const world = await context.world();
  const cluster = await context.cluster();
  const { proxy } = world;
  if (proxy === undefined) throw new Error('expected a world with a proxy');
  const database = await freshDatabase(world, 'pg');
  const start = (name: string) =>
    startActor(world, cluster, {
      name,
      speed: WORLD_SPEED,
      database,
      adjust: (config) => ({ ...config, acting: { ...config.acting, lease: LEASE, callTimeout: '60s' } }),
    });
  const first = await start('fencing-a');
  try {
    const second = await start('fencing-b');
    try {
      const stage: Stage = { cluster, proxy, pair: [first, second] };
      await context.check('stopped before its last look at the lease: nothing is sent', () => stoppedBefore(stage));
      await context.check('stopped after the call, before its outcome is written: read back once, done once', () =>
        stoppedAfter(stage),
      );
      await context.check(
        'held up between look and call, the target moved meanwhile: refused by its precondition',
        () => heldUp(stage, true),
      );
      await context.check('held up between look and call, nothing moved: one effect, and the record says so', () =>
        heldUp(stage, false),
      );
    } finally {
      proxy.setRules([]);
      await second.operator.stop();
    }
  } finally {
    await first.operator.stop();
  }
}

const REACH_MS = 60_000;

/** Who reached the point first. The other one is no longer to do anything there. */
async function whoReaches(
  { pair }: Stage,
  point: string,
  does: 'stop' | 'hold',
  begin: () => Promise<void>,
): Promise<{ readonly sender: Actor; readonly other: Actor }> {
  for (const { operator } of pair) operator.setFaults([{ point, does }]);
  await begin();
  const nobody = sleep(REACH_MS, undefined, { ref: false }).then((): number => {
    throw new Error(`expected one of the two to reach ${point} within ${REACH_MS} ms, found that neither did`);
  });
  nobody.catch(() => undefined);
  const index = await Promise.race([...pair.map(({ operator }, at) => operator.reached(point).then(() => at)), nobody]);
  const [sender, other] = index === 0 ? pair : [pair[1], pair[0]];
  other.operator.setFaults([]);
  return { sender, other };
}

async function stoppedBefore(stage: Stage): Promise<void> {
  const { fault, shown, voter } = await readyToApprove(stage, 'before');
  const { sender, other } = await whoReaches(stage, 'act:execute-started', 'stop', async () => {
    expectEqual('the vote', answerWord(await approve(voter.people.ana, shown)), '200 Approved');
  });
  const end = await awaitIncident(other.people.vic, fault.namespace, 'Escalated', ({ state }) => state === 'Escalated');
  sender.operator.signal('SIGCONT');
  await sleep(AFTERMATH_MS);
  expectEqual('the end', [end.escalationReason, end.actions[0]?.state], ['ActionFailed', 'Failed']);
  expectWrites(await realWrites(stage.cluster.auditLog, fault.namespace), 0);
  await fault.remove();
}

async function stoppedAfter(stage: Stage): Promise<void> {
  const { fault, shown, voter } = await readyToApprove(stage, 'after');
  const { sender, other } = await whoReaches(stage, 'act:execute-sent', 'stop', async () => {
    expectEqual('the vote', answerWord(await approve(voter.people.ana, shown)), '200 Approved');
  });
  await awaitIncident(other.people.vic, fault.namespace, 'Verifying', ({ state }) => state === 'Verifying');
  sender.operator.signal('SIGCONT');
  const end = await awaitIncident(
    other.people.vic,
    fault.namespace,
    'Resolved',
    ({ state }) => state === 'Resolved',
    90,
  );
  await sleep(AFTERMATH_MS);
  const attempts = (end.actions[0]?.attempts ?? []).filter(({ phase }) => phase === 'execute');
  expectEqual(
    'the attempts',
    attempts.map(({ outcome, readback }) => [outcome, readback]),
    [['unknown', 'applied']],
  );
  expectWrites(await realWrites(stage.cluster.auditLog, fault.namespace), 1);
  await fault.remove();
}

/** The proxy keeps the request while its sender sleeps: to the API server it comes as if the process had been stopped right before it. */
async function heldUp(stage: Stage, targetMoves: boolean): Promise<void> {
  const { cluster, proxy } = stage;
  const { fault, shown, voter } = await readyToApprove(stage, targetMoves ? 'moved' : 'late');
  const url = `/namespaces/${fault.namespace}/deployments/[^?]*\\?(?!.*dryRun)`;
  proxy.setRules([{ id: 'late', method: 'PATCH', url, effect: { do: 'hold-request' } }]);
  const { sender, other } = await whoReaches(stage, 'act:execute-started', 'hold', async () => {
    expectEqual('the vote', answerWord(await approve(voter.people.ana, shown)), '200 Approved');
  });
  sender.operator.release('act:execute-started');
  await until('the call has left its process', () => proxy.seen.some(({ rule }) => rule === 'late'));
  sender.operator.signal('SIGSTOP');
  const before = await awaitIncident(
    other.people.vic,
    fault.namespace,
    'Escalated',
    ({ state }) => state === 'Escalated',
  );
  expectEqual(
    'what the other one found',
    [before.escalationReason, before.actions[0]?.state],
    ['ActionFailed', 'Failed'],
  );
  const { items } = await cluster.client.list(DEPLOYMENTS, fault.namespace);
  const [deployment] = items;
  if (targetMoves && deployment !== undefined)
    await cluster.client.patch(DEPLOYMENTS, fault.namespace, deployment.metadata.name, [
      { op: 'add', path: '/metadata/labels/moved', value: 'yes' },
    ]);
  proxy.setRules([]);
  sender.operator.signal('SIGCONT');
  await until(
    'the call has been answered',
    async () => (await realWrites(cluster.auditLog, fault.namespace)).length > 0,
  );
  await sleep(AFTERMATH_MS);
  expectWrites(await realWrites(cluster.auditLog, fault.namespace), 1, targetMoves ? 0 : 1);
  const end = await awaitIncident(other.people.vic, fault.namespace, 'Escalated', ({ state }) => state === 'Escalated');
  const readback = (end.actions[0]?.attempts ?? []).find(({ phase }) => phase === 'execute')?.readback;
  const told = end.events.some(({ reason }) => reason === 'applied_late');
  expectEqual('what is known in the end', [readback, told], targetMoves ? ['not_applied', false] : ['applied', true]);
  proxy.setRules([]);
  await fault.remove();
}

async function readyToApprove(stage: Stage, word: string) {
  const { cluster, pair, proxy } = stage;
  (proxy.seen as unknown[]).length = 0;
  const fault = await plantFault(cluster, 'bad-rollout', word);
  const [voter] = pair;
  return { fault, voter, shown: await awaitProposal(voter.people.vic, fault.namespace) };
}
