import type { Random } from '../shape/names.ts';
import type { Node, Pod } from '../shape/pod.ts';
import { type Fit, filterNode } from './filter-node.ts';
import { scoreNode } from './score-node.ts';
import { unschedulableMessage } from './unschedulable-message.ts';

export interface NodeWithPods {
  readonly node: Node;
  /** The pods bound to the node that have not finished. */
  readonly pods: readonly Pod[];
}

export type Placement =
  | { readonly kind: 'bind'; readonly node: string }
  | { readonly kind: 'unschedulable'; readonly message: string };

/** The best node of those that take the pod; among equals, chance decides. */
export function placePod(pod: Pod, nodes: readonly NodeWithPods[], random: Random): Placement {
  const judged = nodes.map(({ node, pods }) => ({ node, pods, fit: filterNode(pod, node, pods) }));
  const feasible = judged.filter(({ fit }) => fit.kind === 'fits');
  if (feasible.length === 0) {
    const refusals = judged.flatMap(({ fit }) => (isRefusal(fit) ? [fit] : []));
    return { kind: 'unschedulable', message: unschedulableMessage(pod, refusals) };
  }
  const scored = feasible.map(({ node, pods }) => ({ node, score: scoreNode(pod, node, pods) }));
  const best = Math.max(...scored.map(({ score }) => score));
  const winners = scored.filter(({ score }) => score === best);
  const winner = winners[Math.floor(random() * winners.length)] ?? winners[0];
  return { kind: 'bind', node: winner?.node.metadata.name ?? '' };
}

function isRefusal(fit: Fit): fit is Extract<Fit, { readonly kind: 'refused' }> {
  return fit.kind === 'refused';
}
