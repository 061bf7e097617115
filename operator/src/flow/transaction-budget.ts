import type { Clock } from '@hephaisto/core/ports/clock';

/**
 * How long one transaction of a stage goes on taking rows. The embedded database runs one transaction at a time, so that a vote or the
 * kill switch waits for as long as this; much shorter, and a storm costs more commits than work.
 */
const MAX_TRANSACTION_MS = 150;

/** Whether a transaction that began now may still take more work. */
export function startBudget(clock: Pick<Clock, 'monotonicMs'>): { isSpent(): boolean } {
  const end = clock.monotonicMs() + MAX_TRANSACTION_MS;
  return { isSpent: () => clock.monotonicMs() >= end };
}
