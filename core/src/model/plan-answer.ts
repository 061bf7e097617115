import { z } from 'zod';
import { ACTION_KINDS } from '../action/catalogue.ts';
import { ACTION_TYPES, type ActionType, NEVER_ACTION_TYPES } from '../action/types.ts';

/** What each kind is for, in the words that a planner chooses by. */
const FOR_WHAT: Readonly<Record<ActionType, string>> = {
  RollbackWorkload:
    'puts the revision before the faulty one back; only for a cause of kind rollout-change, with its two revisions',
  RestartPod: 'makes one pod anew; only for a cause of kind stale-local-state',
  RolloutRestart:
    'makes all pods anew at the workload’s own pace; only where a crash is of the process and not of its configuration',
  ScaleWorkload: 'changes the number of replicas, to at most twice as many',
  PatchResources:
    'raises a memory limit; only for a cause of kind memory-limit-too-low, its container, memoryLimitBytes',
  DeleteStuckJob: 'removes a job that never ends; only for a cause of kind job-failed whose detail is stuck',
};

/** The catalogue as a planner reads it. */
export function catalogueText(): string {
  return [
    'ACTS',
    ...ACTION_TYPES.map(
      (type) =>
        `${type} (aimed at ${ACTION_KINDS[type].targets.join(' or ')}, risk ${ACTION_KINDS[type].risk}): ${FOR_WHAT[type]}`,
    ),
    `Never done, whatever the cause: ${NEVER_ACTION_TYPES.join(', ')}`,
  ].join('\n');
}

function actOf<T extends ActionType>(type: T) {
  return z.strictObject({
    type: z.literal(type),
    finding: z.string().min(1).max(64).describe('Id of the finding that it follows from'),
    target: z.strictObject({
      kind: z.string().min(1).max(63),
      namespace: z.string().max(63),
      name: z.string().min(1).max(253),
    }),
    params: ACTION_KINDS[type].schema,
  });
}

/** The answer's schema, made from the catalogue: what is not in it cannot be said. */
export const plannerAnswer = z.strictObject({
  decision: z.enum(['act', 'none']),
  because: z.string().min(1).max(1_000),
  act: z
    .discriminatedUnion('type', [
      actOf('RollbackWorkload'),
      actOf('RestartPod'),
      actOf('RolloutRestart'),
      actOf('ScaleWorkload'),
      actOf('PatchResources'),
      actOf('DeleteStuckJob'),
    ])
    .optional(),
});
export type PlannerAnswer = z.infer<typeof plannerAnswer>;
