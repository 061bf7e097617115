import { tolerates } from '../scheduler/tolerations.ts';
import type { Pod, Taint, Toleration } from '../shape/pod.ts';

/** Whether and when a pod must leave a node that carries taints with the effect NoExecute. */
export type Eviction =
  | { readonly kind: 'stay' }
  /** Simulated milliseconds after the taint, 0 for at once. */
  | { readonly kind: 'leave'; readonly after: number; readonly taint: Taint };

/** What admission gives every pod that says nothing about these two taints. */
const DEFAULTS: readonly Toleration[] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].map(
  (key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  }),
);

/** A pod leaves when the first of its time-limited tolerations runs out, at once where a taint has none. */
export function evictionOf(pod: Pod, taints: readonly Taint[]): Eviction {
  const own = pod.spec.tolerations ?? [];
  const tolerations = [...own, ...DEFAULTS.filter(({ key }) => !own.some((given) => covers(given, key ?? '')))];
  let earliest: Eviction = { kind: 'stay' };
  for (const taint of taints.filter(({ effect }) => effect === 'NoExecute')) {
    const after = toleratedFor(taint, tolerations);
    if (after !== undefined && (earliest.kind === 'stay' || after < earliest.after))
      earliest = { kind: 'leave', after, taint };
  }
  return earliest;
}

function covers(given: Toleration, key: string): boolean {
  return tolerates(given, { key, effect: 'NoExecute' });
}

/** Milliseconds, or nothing for ever. */
function toleratedFor(taint: Taint, tolerations: readonly Toleration[]): number | undefined {
  const matching = tolerations.filter((toleration) => tolerates(toleration, taint));
  if (matching.length === 0) return 0;
  const limits = matching.flatMap(({ tolerationSeconds }) =>
    tolerationSeconds === undefined ? [] : [tolerationSeconds],
  );
  return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits)) * 1000;
}
