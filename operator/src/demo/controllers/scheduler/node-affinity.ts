import { containsLabels } from '../shape/label-selector.ts';
import type { Node, NodeRequirement, NodeSelectorTerm, PodSpec } from '../shape/pod.ts';

/** Whether a node satisfies the pod's node selector and the terms that its node affinity requires, any one of which suffices. */
export function matchesNode(spec: PodSpec, node: Node): boolean {
  if (!containsLabels(node.metadata.labels, spec.nodeSelector ?? {})) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || (required.nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node));
}

/** A term without any requirement matches nothing. */
function matchesTerm(term: NodeSelectorTerm, node: Node): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length + fields.length === 0) return false;
  return (
    expressions.every((requirement) => holds(requirement, node.metadata.labels?.[requirement.key])) &&
    fields.every((requirement) =>
      holds(requirement, requirement.key === 'metadata.name' ? node.metadata.name : undefined),
    )
  );
}

function holds({ operator, values = [] }: NodeRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}
