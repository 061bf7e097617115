import type { Running } from './running.ts';

/** The end that several plots come to, the wait for any end, and the ends of those that go to a person. */
export const RESOLVED = { workload: 'checkout', state: 'Resolved', action: 'Verified' } as const;
export const over = (run: Running, workload = 'checkout') =>
  run.incident(workload, ['Resolved', 'Escalated', 'Expired']);

export const escalated = (reason: string, action?: string, workload = 'checkout') =>
  ({ workload, state: 'Escalated', reason, ...(action === undefined ? {} : { action }) }) as const;
