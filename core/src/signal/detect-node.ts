import type { NodeFact } from '../facts/facts.ts';
import type { BenignNote, Symptom } from './symptom.ts';

const PRESSURES: readonly string[] = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'];

/** What is wrong with the node now. */
export function detectNode(node: NodeFact): readonly Symptom[] {
  const pressures = node.conditions
    .filter((condition) => PRESSURES.includes(condition.type) && condition.status === 'True')
    .map(
      (condition): Symptom => ({
        key: `NodePressure/${condition.type}`,
        kind: 'NodePressure',
        severity: 'critical',
        reason: condition.type,
        message: `node ${node.name} reports ${condition.type}: ${condition.message ?? condition.reason ?? 'no message'}`,
        ...(condition.since === undefined ? {} : { since: condition.since }),
      }),
    );
  if (node.ready === 'True') return pressures;
  const ready = node.conditions.find((condition) => condition.type === 'Ready');
  return [
    ...pressures,
    {
      key: 'NodePressure/NotReady',
      kind: 'NodePressure',
      severity: 'critical',
      reason: 'NotReady',
      message: `node ${node.name} is not ready: ${ready?.message ?? ready?.reason ?? 'it has not reported yet'}`,
      // Somebody who cordons a node and then restarts it knows.
      hold: node.unschedulable ? 'cordonedNode' : 'node',
      ...(ready?.since === undefined ? {} : { since: ready.since }),
      ifBrief: { reason: 'node-blip', message: `node ${node.name} was not ready for a moment`, afterShareOfHold: 0.25 },
    },
  ];
}

/** What changed between two sights of the node and is no fault. */
export function noteNodeChange(before: NodeFact | undefined, now: NodeFact): readonly BenignNote[] {
  if (!now.unschedulable || before === undefined || before.unschedulable) return [];
  return [
    { kind: 'NodePressure', reason: 'node-cordoned', message: `node ${now.name} was closed to new pods by somebody` },
  ];
}
