import type { NodeFact, PodFact } from '../../facts/facts.ts';
import { formatCpu, formatMemory } from '../../facts/quantity.ts';
import { inQuotes, quote } from '../quote.ts';
import { finding, type Rule } from '../rule.ts';
import { decisiveWords, podEvidence } from '../symptom-evidence.ts';
import type { CaseView } from '../view.ts';

type Resource = 'cpu' | 'memory';

export const unschedulable: Rule = {
  id: 'unschedulable',
  question: 'Is there a node that the pod fits on?',
  needs: ['get_pods', 'get_nodes'],
  evaluate({ view, rollout }) {
    const sick = view.troubles.filter(({ symptom }) => symptom === 'unschedulable');
    const pod = sick[0]?.pod;
    if (pod === undefined || view.about === undefined) return [];
    if (rollout.kind === 'explains' && rollout.comparison.symptom === 'unschedulable') return [];
    const tooLarge = (['memory', 'cpu'] as const).map((resource) => compare(resource, pod, view.nodes?.value ?? []));
    const worst = tooLarge.find((comparison) => comparison?.exceeds === true);
    const words = decisiveWords(view, sick, 'unschedulable');
    const scheduler = words === undefined ? '' : `: ${inQuotes(words)}`;
    const evidence = [...podEvidence(view, sick, 'unschedulable'), ...requestEvidence(view, pod)];
    if (worst === undefined) {
      return finding(unschedulable, {
        category: 'capacity',
        statement: `The scheduler finds no node for the pod, although its requests would fit on an empty one${scheduler}. Free room, taints or selectors prevent it.`,
        certainty: 'likely',
        cause: { kind: 'unschedulable', workload: view.about, resource: 'other' },
        evidence,
      });
    }
    const { resource, requested, node, allocatable } = worst;
    return finding(unschedulable, {
      category: 'capacity',
      statement: `The pod requests ${show(resource, requested)} of ${resource}; the largest node, ${node}, has ${show(resource, allocatable)}. No node can ever run it${scheduler}.`,
      certainty: 'proven',
      cause: {
        kind: 'unschedulable',
        workload: view.about,
        resource,
        requested,
        largestNode: { name: node, allocatable },
      },
      evidence: [...evidence, ...quote(view.nodes, `node ${node}: `)],
    });
  },
};

interface Comparison {
  readonly resource: Resource;
  readonly requested: number;
  readonly node: string;
  readonly allocatable: number;
  readonly exceeds: boolean;
}

function compare(resource: Resource, pod: PodFact, nodes: readonly NodeFact[]): Comparison | undefined {
  const requested = requestOf(pod, resource);
  const largest = nodes
    .map((node) => ({ name: node.name, amount: amount(node.allocatable, resource) ?? 0 }))
    .sort((a, b) => b.amount - a.amount || (a.name < b.name ? -1 : 1))[0];
  if (largest === undefined || requested === 0) return undefined;
  return { resource, requested, node: largest.name, allocatable: largest.amount, exceeds: requested > largest.amount };
}

/** What the scheduler counts: the sum of the containers, or the largest init container where that is more. */
function requestOf(pod: PodFact, resource: Resource): number {
  const of = (init: boolean) =>
    pod.specs
      .filter((spec) => spec.init === init)
      .map((spec) => amount(spec.requests, resource) ?? amount(spec.limits, resource) ?? 0);
  return Math.max(
    of(false).reduce((sum, value) => sum + value, 0),
    ...of(true),
  );
}

function requestEvidence(view: CaseView, pod: PodFact) {
  const name = pod.specs.find(({ init }) => !init)?.name ?? '';
  return quote(view.pods, `pod ${pod.name} container ${name}: `, 'requests');
}

function amount(
  of: { readonly cpuMillis?: number; readonly memoryBytes?: number },
  resource: Resource,
): number | undefined {
  return resource === 'cpu' ? of.cpuMillis : of.memoryBytes;
}

function show(resource: Resource, value: number): string {
  return resource === 'cpu' ? formatCpu(value) : formatMemory(value);
}
