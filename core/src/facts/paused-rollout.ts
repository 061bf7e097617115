import { oneLine } from '../evidence/tables/text.ts';
import { ordersIn } from '../evidence/taint.ts';
import type { PausedRollout } from '../finding/finding.ts';
import type { WorkloadFact } from './facts.ts';
import { writerOf } from './managed-fields.ts';
import { given } from './raw.ts';

/** Whether a rollout is paused, and by whom; undefined while it is not. */
export function pausedRollout(workload: WorkloadFact | undefined): PausedRollout | undefined {
  if (workload === undefined || !workload.paused) return undefined;
  const writer = writerOf(workload.raw, ['spec', 'paused']);
  // A client chooses its manager's name; one that gives orders to its reader is left out like any such line.
  const by = writer === undefined || ordersIn(writer.manager).length > 0 ? undefined : oneLine(writer.manager);
  return { ...given('by', by), ...given('at', writer?.at?.toISOString()) };
}
