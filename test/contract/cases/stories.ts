import { at, listAt, textAt } from '../../../operator/src/demo/cluster/json-at.ts';
import type { Story, StoryId, WorldStep } from '../../../operator/src/demo/stories/story.ts';
import { STORIES } from '../../../operator/src/demo/stories/story-book.ts';
import { playTimeline } from '../../../operator/src/demo/stories/world-player.ts';
import { type ContractCase, pause, type Stage } from '../case.ts';
import { view } from '../namespace-view.ts';
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
  await pause(1500);
  return outcome(stage);
}

function shorter(step: WorldStep): WorldStep {
  return step.do === 'wait' ? { ...step, seconds: Math.min(step.seconds, LONGEST_WAIT_SECONDS) } : step;
}

/** The parts of the view that do not move with a crash loop's rhythm. */
async function outcome(stage: Stage): Promise<unknown> {
  const { slices, events } = (await view(stage)) as { slices?: unknown[]; events?: string[] };
  const items = async (resource: string) =>
    listAt((await stage.admin.get(path(resource, stage.namespace))).body, 'items');
  const revision = (each: unknown) => at(each, 'metadata', 'annotations', 'deployment.kubernetes.io/revision');
  const workload = (each: unknown) => textAt(each, 'metadata', 'labels', 'app.kubernetes.io/name') ?? '';
  return {
    deployments: (await items('deployments')).map((each) => [
      workload(each),
      revision(each),
      at(each, 'spec', 'replicas'),
      at(each, 'status', 'replicas') ?? 0,
      at(each, 'status', 'updatedReplicas') ?? 0,
    ]),
    replicaSets: (await items('replicasets'))
      .map((each) =>
        [workload(each), revision(each), at(each, 'spec', 'replicas'), at(each, 'status', 'replicas') ?? 0].join(' '),
      )
      .sort(),
    pods: (await items('pods'))
      .map((each) =>
        [
          workload(each),
          at(each, 'status', 'qosClass'),
          textAt(each, 'metadata', 'ownerReferences', 0, 'kind'),
          at(each, 'spec', 'nodeName') === undefined ? 'nowhere' : 'on a node',
        ].join(' '),
      )
      .sort(),
    slices: (slices ?? []).map((each) => [
      textAt(each, 'metadata', 'labels', 'kubernetes.io/service-name'),
      listAt(each, 'endpoints').length,
    ]),
    events: (events ?? []).filter((each) =>
      /FailedScheduling|SuccessfulCreate|ScalingReplicaSet|SuccessfulDelete|Completed/.test(each),
    ),
  };
}
