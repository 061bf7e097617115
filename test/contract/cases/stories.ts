import { at, listAt, numberAt, textAt } from '../../../operator/src/demo/cluster/json-at.ts';
import type { Story, StoryId, WorldStep } from '../../../operator/src/demo/stories/story.ts';
import { STORIES } from '../../../operator/src/demo/stories/story-book.ts';
import { playTimeline } from '../../../operator/src/demo/stories/world-player.ts';
import { type ContractCase, pause, type Stage, until } from '../case.ts';
import { normaliseText } from '../normalise.ts';
import { path } from '../objects.ts';

/** Plays for minutes by design; its single stimuli are cases of their own. */
const LEFT_OUT: ReadonlySet<StoryId> = new Set(['healthy-noise']);
const LONGEST_WAIT_SECONDS = 10;

/** Every story's world, up to where the product would begin: the same steps leave the same cluster. */
export const STORY_CASES: readonly ContractCase[] = Object.values(STORIES)
  .filter((story) => !LEFT_OUT.has(story.id))
  .map((story) => ({
    id: `story-${story.id}`,
    title: `the world of \`${story.id}\` comes to be alike`,
    run: (stage: Stage) => play(stage, story),
  }));

async function play(stage: Stage, story: Story): Promise<unknown> {
  const { namespace, client, pace } = stage;
  stage.setBehaviours(story.behaviours);
  const abort = new AbortController();
  try {
    await playTimeline({ client, pace, namespace, signal: abort.signal }, story.timeline.map(shorter));
  } finally {
    abort.abort();
  }
  await settledBackground(stage);
  return outcome(stage);
}

function shorter(step: WorldStep): WorldStep {
  return step.do === 'wait' ? { ...step, seconds: Math.min(step.seconds, LONGEST_WAIT_SECONDS) } : step;
}

/** Real controllers are slow when many namespaces come at once: waits until each ReplicaSet has told what it has. */
async function settledBackground(stage: Stage): Promise<void> {
  await until(
    () => items(stage, 'replicasets'),
    (found) =>
      found.every(
        (each) =>
          numberAt(each, 'status', 'observedGeneration') === numberAt(each, 'metadata', 'generation') &&
          (numberAt(each, 'status', 'replicas') ?? 0) === (numberAt(each, 'spec', 'replicas') ?? 0),
      ),
    60_000,
  );
  await pause(2500);
}

async function items({ admin, namespace }: Stage, resource: string): Promise<readonly unknown[]> {
  return listAt((await admin.get(path(resource, namespace))).body, 'items');
}

/** The parts of the view that do not move with a crash loop's rhythm or with how far a background rollout has come. */
async function outcome(stage: Stage): Promise<unknown> {
  const revision = (each: unknown) => at(each, 'metadata', 'annotations', 'deployment.kubernetes.io/revision');
  const workload = (each: unknown) => textAt(each, 'metadata', 'labels', 'app.kubernetes.io/name') ?? '';
  const line = (...parts: readonly unknown[]) => parts.map(String).join(' ');
  const [deployments, replicaSets, pods, jobs, slices, events] = await Promise.all(
    ['deployments', 'replicasets', 'pods', 'jobs', 'endpointslices', 'events'].map((each) => items(stage, each)),
  );
  const lines = (list: readonly unknown[] | undefined, show: (each: unknown) => string) =>
    (list ?? []).map(show).sort();
  return {
    deployments: lines(deployments, (each) => line(workload(each), revision(each), at(each, 'spec', 'replicas'))),
    replicaSets: lines(replicaSets, (each) =>
      line(workload(each), revision(each), at(each, 'spec', 'template', 'spec', 'containers', 0, 'image')),
    ),
    owners: [
      ...new Set(lines(pods, (each) => line(workload(each), textAt(each, 'metadata', 'ownerReferences', 0, 'kind')))),
    ],
    unscheduled: lines(pods, (each) => line(workload(each), conditionText(each, 'PodScheduled'))).filter((each) =>
      each.includes('Unschedulable'),
    ),
    jobs: lines(jobs, (each) => line(textAt(each, 'metadata', 'name'), at(each, 'spec', 'backoffLimit'))),
    services: lines(slices, (each) => String(textAt(each, 'metadata', 'labels', 'kubernetes.io/service-name'))),
    warnings: [
      ...new Set(
        (events ?? [])
          .filter((each) => textAt(each, 'reason') === 'FailedScheduling')
          .map((each) => normaliseText(textAt(each, 'message') ?? '')),
      ),
    ].sort(),
  };
}

function conditionText(pod: unknown, type: string): string {
  const found = listAt(pod, 'status', 'conditions').find((each) => textAt(each, 'type') === type);
  return `${textAt(found, 'reason') ?? ''} ${textAt(found, 'message') ?? ''}`;
}
