import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@hephaisto/test/verifies';
import type { StoryId } from '../../../operator/src/demo/stories/story.ts';
import type { FaultProxy, ProxyRule } from '../../world/proxy.ts';
import type { Context } from '../context.ts';
import { type Actor, startActor } from '../harness/casting.ts';
import { type RealCluster, WORLD_SPEED } from '../harness/cluster.ts';
import { freshDatabase } from '../harness/databases.ts';
import { expectEqual, expectWrites, realWrites } from '../harness/expect.ts';
import { answerWord, approve, awaitIncident, awaitProposal, plantFault } from '../harness/fault.ts';

interface LostAnswer {
  readonly word: string;
  readonly story: StoryId;
  readonly title: string;
  readonly method: 'PATCH' | 'POST';
  readonly effect: ProxyRule['effect'];
  /** Whether the API server was told. */
  readonly arrives: boolean;
}

const CASES: readonly LostAnswer[] = [
  {
    word: 'held',
    story: 'bad-rollout',
    title: 'the answer to a PATCH is held: one PATCH, found applied by reading back, Resolved',
    method: 'PATCH',
    effect: { do: 'hold-answer' },
    arrives: true,
  },
  {
    word: 'cut',
    story: 'oom-standing',
    title: 'the connection is cut instead of an answer: one PATCH, found applied by reading back, Resolved',
    method: 'PATCH',
    effect: { do: 'cut-answer' },
    arrives: true,
  },
  {
    word: 'gone',
    story: 'wedged-pod',
    title: 'the answer to an eviction is held: one eviction, found applied by reading back, Resolved',
    method: 'POST',
    effect: { do: 'hold-answer' },
    arrives: true,
  },
  {
    word: 'drop',
    story: 'bad-rollout',
    title: 'a PATCH is dropped on its way: none arrives, Failed by reading back, nothing is sent again',
    method: 'PATCH',
    effect: { do: 'drop' },
    arrives: false,
  },
  {
    word: 'hang',
    story: 'bad-rollout',
    title: 'a PATCH hangs and never arrives: Failed by reading back, nothing is sent again',
    method: 'PATCH',
    effect: { do: 'hang' },
    arrives: false,
  },
  {
    word: 'broken',
    story: 'oom-standing',
    title: 'something answers 500 in the place of the API server: Failed by reading back, nothing is sent again',
    method: 'PATCH',
    effect: { do: 'answer', status: 500, body: '{"kind":"Status","code":500}' },
    arrives: false,
  },
];

/** How long nothing further may be sent after the end. Longer than every pause and poll of acting. */
const AFTERMATH_MS = 4_000;

/** Calls whose answer is lost, on a real API server behind the proxy, side by side in namespaces of their own. */
export async function runLostAnswers(context: Context): Promise<void> {
  verifies('H4-20', 'H4-116');
  const world = await context.world();
  const cluster = await context.cluster();
  const { proxy } = world;
  if (proxy === undefined) throw new Error('expected a world with a proxy');
  const kinds = context.db === undefined ? (['pg', 'pglite'] as const) : [context.db];
  const actors: Actor[] = [];
  try {
    for (const [index, kind] of kinds.entries()) {
      context.say(`starting an operator on ${kind}`);
      const actor = await startActor(world, cluster, {
        name: `lost-${kind}`,
        speed: WORLD_SPEED,
        database: await freshDatabase(world, kind),
        adjust: (config) => ({ ...config, acting: { ...config.acting, callTimeout: '2s' } }),
      });
      actors.push(actor);
      const own = CASES.filter((_, at) => at % kinds.length === index);
      const rules: ProxyRule[] = [];
      await Promise.all(own.map((each) => playCase(context, cluster, proxy, actor, each, rules, kind)));
      proxy.setRules([]);
      await actor.operator.stop();
    }
  } finally {
    proxy.setRules([]);
    for (const { operator } of actors) await operator.stop();
  }
}

async function playCase(
  context: Context,
  cluster: RealCluster,
  proxy: FaultProxy,
  actor: Actor,
  each: LostAnswer,
  rules: ProxyRule[],
  kind: string,
): Promise<void> {
  await context.check(`${each.title} (${kind})`, async () => {
    const fault = await plantFault(cluster, each.story, each.word);
    const { vic, ana } = actor.people;
    const shown = await awaitProposal(vic, fault.namespace);
    const url = `/namespaces/${fault.namespace}/(deployments|pods)/[^?]*(\\?(?!.*dryRun).*)?$`;
    rules.push({ id: each.word, method: each.method, url, effect: each.effect });
    proxy.setRules(rules);
    expectEqual('the vote', answerWord(await approve(ana, shown)), '200 Approved');
    const end = await awaitIncident(
      vic,
      fault.namespace,
      each.arrives ? 'Resolved' : 'Escalated',
      ({ state }) => state === (each.arrives ? 'Resolved' : 'Escalated'),
      90,
    );
    await sleep(AFTERMATH_MS);
    const [action] = end.actions;
    const execute = (action?.attempts ?? []).filter(({ phase }) => phase === 'execute');
    expectEqual(
      'the attempts',
      execute.map(({ outcome, readback }) => [outcome, readback]),
      [['unknown', each.arrives ? 'applied' : 'not_applied']],
    );
    expectEqual('the action', action?.state, each.arrives ? 'Verified' : 'Failed');
    if (!each.arrives) expectEqual('the escalation', end.escalationReason, 'ActionFailed');
    expectWrites(await realWrites(cluster.auditLog, fault.namespace), each.arrives ? 1 : 0);
    const sent = proxy.seen.filter(({ rule }) => rule === each.word);
    expectEqual('how often the call left', sent.length, 1);
    await fault.remove();
  });
}
