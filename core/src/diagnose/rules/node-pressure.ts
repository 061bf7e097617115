import { ordersIn } from '../../evidence/taint.ts';
import type { ConditionFact, NodeFact } from '../../facts/facts.ts';
import { inQuotes, quote } from '../quote.ts';
import { finding, type Rule } from '../rule.ts';

const PRESSURES: readonly string[] = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'];

export const nodePressure: Rule = {
  id: 'node-pressure',
  question: 'Is the node itself in trouble?',
  needs: ['get_nodes'],
  evaluate({ view }) {
    const name = view.subject.nodeName ?? (view.subject.owner?.kind === 'Node' ? view.subject.owner.name : undefined);
    const node = view.nodes?.value.find((candidate) => candidate.name === name);
    const condition = node === undefined ? undefined : troubledCondition(node);
    if (node === undefined || condition === undefined) return [];
    return finding(nodePressure, {
      category: 'infrastructure',
      statement: `Node ${node.name} reports ${condition.type}${condition.message === undefined ? '' : `: ${inQuotes(condition.message)}`}.`,
      certainty: 'proven',
      cause: { kind: 'node-pressure', node: node.name, condition: condition.type },
      evidence: quote(view.nodes, `node ${node.name}: `),
    });
  },
};

function troubledCondition(node: NodeFact): { readonly type: string; readonly message?: string } | undefined {
  const pressure = node.conditions.find(({ type, status }) => PRESSURES.includes(type) && status === 'True');
  if (pressure !== undefined) return worded(pressure.type, pressure);
  if (node.ready === 'True') return undefined;
  return worded(
    `Ready ${node.ready}`,
    node.conditions.find(({ type }) => type === 'Ready'),
  );
}

function worded(type: string, condition: ConditionFact | undefined) {
  const message = condition?.message ?? '';
  return { type, ...(message === '' || ordersIn(message).length > 0 ? {} : { message }) };
}
