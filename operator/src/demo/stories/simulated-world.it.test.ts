import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../adapters/clock/clock.ts';
import { createIds } from '../../adapters/ids/ids.ts';
import { isKubeCode } from '../kube-client/kube-error.ts';
import { EVENTS, PODS } from '../kube-client/resource.ts';
import { createPace } from '../pace.ts';
import { playStory, type SimulatedWorld, type StoryRun, startSimulatedWorld } from './simulated-world.ts';
import type { StoryId, WorldStep } from './story.ts';
import { STORIES } from './story-book.ts';
import { podsOf } from './world-condition.ts';
import { playStep } from './world-player.ts';

const pace = createPace(20);
const troubles: string[] = [];
const runs: StoryRun[] = [];
let world: SimulatedWorld;

before(async () => {
  world = await startSimulatedWorld({
    pace,
    ids: createIds(systemClock),
    random: Math.random,
    onTrouble: (part, error) => troubles.push(`${part}: ${error instanceof Error ? error.message : String(error)}`),
  });
});

after(async () => {
  await Promise.all(runs.map((run) => run.stop()));
  await world.close();
});

async function play(id: StoryId, namespace: string): Promise<StoryRun> {
  const run = await playStory({ ...world, pace }, STORIES[id], namespace);
  runs.push(run);
  await run.played;
  return run;
}

interface ListedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

async function alertsOf(namespace: string): Promise<readonly ListedAlert[]> {
  const filter = encodeURIComponent(`namespace="${namespace}"`);
  const answer = await fetch(`${world.alertmanager.url}/api/v2/alerts?filter=${filter}`);
  return (await answer.json()) as readonly ListedAlert[];
}

/** Looks until it is so; the test's own time limit ends a wait for what never comes. */
async function until(what: () => Promise<boolean>): Promise<void> {
  while (!(await what())) await pace.sleep(2_000);
}

const LIMIT = { timeout: 110_000 };

async function heal(run: StoryRun, steps: readonly WorldStep[]): Promise<void> {
  for (const step of steps) await playStep(run.context, step);
  await playStep(run.context, {
    do: 'wait-until',
    note: 'everything runs',
    until: { kind: 'all-rolled-out' },
    withinSeconds: 300,
  });
  await until(async () => (await alertsOf(run.context.namespace)).length === 0);
}

async function loopingPod(namespace: string, workload: string): Promise<string> {
  const { items } = await world.client.list(PODS, namespace);
  const looping = podsOf({ pods: items }, workload).find(
    (pod) => (pod.status?.containerStatuses?.[0]?.restartCount ?? 0) > 0,
  );
  assert.ok(looping);
  return looping.metadata.name;
}

describe('the worlds of the stories, each in its own namespace', () => {
  test('a bad rollout loops, says why in the log before, alerts, and heals when it is undone', LIMIT, async () => {
    const namespace = 'run-bad-rollout';
    const run = await play('bad-rollout', namespace);
    const { items } = await world.client.list(PODS, namespace);
    const looping = podsOf({ pods: items }, 'checkout').find((pod) =>
      pod.status?.containerStatuses?.some((each) => each.state.waiting?.reason === 'CrashLoopBackOff'),
    );
    assert.ok(looping);
    const log = await world.client.logs(namespace, looping.metadata.name, { previous: true });
    assert.match(log, /invalid PAYMENTS_URL: cannot parse "http:\/\/payments:8O80": invalid port after host/);
    assert.equal((await world.client.logs(namespace, looping.metadata.name, { tailLines: 1 })).split('\n').length, 2);
    assert.ok(items.filter((pod) => pod.status?.phase === 'Running').length >= 20);
    await assert.rejects(
      world.client.logs(namespace, podsOf({ pods: items }, 'storefront')[0]?.metadata.name ?? '', { previous: true }),
      (error: unknown) =>
        isKubeCode(error, 400) && /previous terminated container "storefront" in pod .* not found/.test(error.message),
    );

    await until(async () =>
      (await alertsOf(namespace)).some((each) => each.labels.alertname === 'KubePodCrashLooping'),
    );
    await until(async () => {
      const { items: events } = await world.client.list(EVENTS, namespace);
      return events.some((each) => /^Back-off restarting failed container checkout/.test(each.message ?? ''));
    });

    await heal(run, [
      {
        do: 'set-env',
        note: 'the value is put back',
        deployment: 'checkout',
        container: 'checkout',
        name: 'PAYMENTS_URL',
        value: 'http://payments:8080',
      },
    ]);
  });

  test('a pod with a stale lock says so, and a new pod in its place is healthy', LIMIT, async () => {
    const run = await play('wedged-pod', 'run-wedged');
    const name = await loopingPod('run-wedged', 'ledger-writer');
    assert.match(await world.client.logs('run-wedged', name, { previous: true }), /stale lock held by pid 1/);
    await world.client.remove(PODS, 'run-wedged', name);
    await heal(run, []);
  });
});

test('nothing of the world had to be tried again', () => assert.deepEqual(troubles, []));
