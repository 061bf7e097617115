import { badRollout } from './bad-rollout.ts';
import { fixThatFails } from './fix-that-fails.ts';
import { healthyNoise } from './healthy-noise.ts';
import { hostileLog } from './hostile-log.ts';
import { imageMissingRollout } from './image-missing-rollout.ts';
import { imageMissingStanding } from './image-missing-standing.ts';
import { oomRollout } from './oom-rollout.ts';
import { oomStanding } from './oom-standing.ts';
import { secretKeyMissing } from './secret-key-missing.ts';
import type { Story, StoryId } from './story.ts';
import { targetMovedScale } from './target-moved-scale.ts';
import { targetMovedTemplate } from './target-moved-template.ts';
import { twoApprovers } from './two-approvers.ts';
import { unschedulable } from './unschedulable.ts';
import { upstream } from './upstream.ts';
import { wedgedPod } from './wedged-pod.ts';
import { wedgedPodSilent } from './wedged-pod-silent.ts';

/** Every story, in the order in which they are best watched. */
export const STORIES: Readonly<Record<StoryId, Story>> = {
  'bad-rollout': badRollout,
  'wedged-pod': wedgedPod,
  'wedged-pod-silent': wedgedPodSilent,
  'oom-standing': oomStanding,
  'oom-rollout': oomRollout,
  'image-missing-rollout': imageMissingRollout,
  'image-missing-standing': imageMissingStanding,
  unschedulable,
  'secret-key-missing': secretKeyMissing,
  'fix-that-fails': fixThatFails,
  upstream,
  'target-moved-scale': targetMovedScale,
  'target-moved-template': targetMovedTemplate,
  'two-approvers': twoApprovers,
  'healthy-noise': healthyNoise,
  'hostile-log': hostileLog,
};

/** The story of that id; undefined when there is none. */
export function findStory(id: string): Story | undefined {
  return Object.hasOwn(STORIES, id) ? STORIES[id as StoryId] : undefined;
}
