import type { PausedRollout } from '../finding/finding.ts';
import type { WorkloadFact } from './facts.ts';
import { writerOf } from './managed-fields.ts';
import { given } from './raw.ts';

/** Whether a rollout is paused, and by whom; undefined while it is not. */
export function pausedRollout(workload: WorkloadFact | undefined): PausedRollout | undefined {
  if (workload === undefined || !workload.paused) return undefined;
  const writer = writerOf(workload.raw, ['spec', 'paused']);
  return { ...given('by', writer?.manager), ...given('at', writer?.at?.toISOString()) };
}
