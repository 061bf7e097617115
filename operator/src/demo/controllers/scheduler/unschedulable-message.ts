import type { Pod } from '../shape/pod.ts';
import type { Fit } from './filter-node.ts';

type Refusal = Extract<Fit, { readonly kind: 'refused' }>;

/** The scheduler's sentence about a pod that no node takes: how many nodes refuse it for what, and why evicting others would not help. */
export function unschedulableMessage(pod: Pod, refusals: readonly Refusal[]): string {
  const total = refusals.length;
  if (total === 0) return 'no nodes available to schedule pods';
  const reasons = histogram(refusals.flatMap((refusal) => refusal.reasons));
  // The part on claims stands in every such sentence, whether or not the pod has any.
  return `${unavailable(total, reasons)} no new claims to deallocate, preemption: ${preemption(pod, refusals)}`;
}

function preemption(pod: Pod, refusals: readonly Refusal[]): string {
  if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const outcomes = refusals.map((refusal) =>
    refusal.helpless ? 'Preemption is not helpful for scheduling' : 'No preemption victims found for incoming pod',
  );
  return unavailable(refusals.length, histogram(outcomes));
}

function unavailable(total: number, reasons: readonly string[]): string {
  return `0/${total} nodes are available: ${reasons.join(', ')}.`;
}

/** `2 Insufficient memory`, sorted as text. */
function histogram(reasons: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${count} ${reason}`).sort((a, b) => (a < b ? -1 : 1));
}
