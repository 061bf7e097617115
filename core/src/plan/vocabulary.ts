/** How far a raised limit may go. The policy's own bounds are checked again when it is admitted. */
export interface PlanBounds {
  readonly memoryMaxBytes: number;
  readonly memoryMaxFactor: number;
}

/** Why nothing is proposed. `needs-person` causes are repaired by a decision that only people can take: which image, which value. */
export const NO_PLAN_REASONS = [
  'no-finding',
  'grounding-rejected',
  'certainty-too-low',
  'upstream-cause',
  'no-safe-action',
  'needs-person:image',
  'needs-person:configuration',
  'needs-person:capacity',
  'needs-person:application',
  'needs-person:node',
  'rollout-paused',
  'target-not-observed',
  'out-of-bounds',
  'invalid-action',
  'planner-chose-none',
  'planner-truncated',
  'target-not-cited',
  'not-from-finding',
  'unreadable',
] as const;
export type NoPlanReason = (typeof NO_PLAN_REASONS)[number];
