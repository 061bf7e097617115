import type { NodeFact } from '../../facts/facts.ts';
import { quote } from '../quote.ts';
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
      statement: `Node ${node.name} reports ${condition}.`,
      certainty: 'proven',
      cause: { kind: 'node-pressure', node: node.name, condition },
      evidence: quote(view.nodes, `node ${node.name}: `),
    });
  },
};

function troubledCondition(node: NodeFact): string | undefined {
  const pressure = node.conditions.find(({ type, status }) => PRESSURES.includes(type) && status === 'True');
  if (pressure !== undefined) return pressure.type;
  return node.ready === 'True' ? undefined : `Ready ${node.ready}`;
}
