import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Node, Pod, PodSpec } from '../shape/pod.ts';
import { aNode, aPod } from '../testing/samples.ts';
import { type NodeWithPods, placePod } from './place-pod.ts';

const GI = 'Gi';

function pending(spec: Partial<PodSpec> & { cpu?: string; memory?: string } = {}): Pod {
  const { cpu, memory, ...rest } = spec;
  const requests = { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) };
  return aPod('new', {
    node: '',
    phase: 'Pending',
    spec: { containers: [{ name: 'web', resources: { requests } }], ...rest },
  });
}

function clean(node: Node): Node {
  return { ...node, spec: {} };
}

function on(node: Node, ...pods: Pod[]): NodeWithPods {
  return { node, pods };
}

function filled(name: string, cpu: string, memory: string): NodeWithPods {
  return on(
    clean(aNode(name)),
    aPod(`busy-${name}`, { spec: { containers: [{ name: 'x', resources: { requests: { cpu, memory } } }] } }),
  );
}

const cordoned: Node = { ...aNode('cordoned'), spec: { unschedulable: true } };
const tainted: Node = { ...aNode('tainted'), spec: { taints: [{ key: 'team', value: 'data', effect: 'NoSchedule' }] } };
const NOT_HELPFUL = 'Preemption is not helpful for scheduling';
const NO_VICTIMS = 'No preemption victims found for incoming pod';

describe('a pod that no node takes', () => {
  const cases: readonly [string, Pod, readonly NodeWithPods[], string][] = [
    [
      'is larger than any node',
      pending({ memory: `64${GI}` }),
      [on(clean(aNode('a'))), on(clean(aNode('b'))), on(clean(aNode('c')))],
      `0/3 nodes are available: 3 Insufficient memory. no new claims to deallocate, preemption: 0/3 nodes are available: 3 ${NOT_HELPFUL}.`,
    ],
    [
      'would fit if others left',
      pending({ cpu: '2' }),
      [filled('a', '3', `1${GI}`), filled('b', '2500m', `1${GI}`)],
      `0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: 2 ${NO_VICTIMS}.`,
    ],
    [
      'finds a different obstacle on each node, counted and sorted as text',
      pending({ memory: `7${GI}` }),
      [on(cordoned), on(tainted), filled('a', '1', `4${GI}`)],
      `0/3 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/3 nodes are available: 1 ${NO_VICTIMS}, 2 ${NOT_HELPFUL}.`,
    ],
    [
      'lacks both CPU and memory on the same node',
      pending({ cpu: '16', memory: `64${GI}` }),
      [on(clean(aNode('a')))],
      `0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory. no new claims to deallocate, preemption: 0/1 nodes are available: 1 ${NOT_HELPFUL}.`,
    ],
    [
      'asks for labels that no node has',
      pending({ nodeSelector: { disk: 'fast' } }),
      [on(clean(aNode('a')))],
      `0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/1 nodes are available: 1 ${NOT_HELPFUL}.`,
    ],
    [
      'finds a node full of pods',
      pending(),
      [on(clean(aNode('a', { pods: '1' })), aPod('other'))],
      `0/1 nodes are available: 1 Too many pods. no new claims to deallocate, preemption: 0/1 nodes are available: 1 ${NO_VICTIMS}.`,
    ],
    [
      'may not push others out',
      pending({ memory: `64${GI}`, preemptionPolicy: 'Never' }),
      [on(clean(aNode('a')))],
      '0/1 nodes are available: 1 Insufficient memory. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
    ],
    ['finds no node at all', pending(), [], 'no nodes available to schedule pods'],
  ];
  for (const [name, pod, nodes, message] of cases)
    it(name, () =>
      assert.deepEqual(
        placePod(pod, nodes, () => 0),
        { kind: 'unschedulable', message },
      ),
    );
});

describe('a pod goes', () => {
  const cases: readonly [string, Pod, readonly NodeWithPods[], string][] = [
    ['to the emptier node', pending({ cpu: '1' }), [filled('a', '3', `6${GI}`), filled('b', '1', `1${GI}`)], 'b'],
    [
      'to a tainted node that it tolerates',
      pending({ tolerations: [{ key: 'team', operator: 'Equal', value: 'data', effect: 'NoSchedule' }] }),
      [on(tainted), on(cordoned)],
      'tainted',
    ],
    [
      'where its required affinity points',
      pending({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'NotIn', values: ['a', 'b'] }] },
                { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] },
              ],
            },
          },
        },
      }),
      [on(clean(aNode('a'))), on(clean(aNode('b')))],
      'b',
    ],
    [
      'to a cordoned node only if it tolerates the cordon',
      pending({ tolerations: [{ operator: 'Exists' }] }),
      [on(cordoned)],
      'cordoned',
    ],
  ];
  for (const [name, pod, nodes, node] of cases)
    it(name, () =>
      assert.deepEqual(
        placePod(pod, nodes, () => 0),
        { kind: 'bind', node },
      ),
    );

  it('by a limit where it names no request', () => {
    const containers = [{ name: 'web', resources: { limits: { memory: '64Gi' } } }];
    assert.equal(placePod(pending({ containers }), [on(clean(aNode('a')))], () => 0).kind, 'unschedulable');
  });

  it('away from its siblings', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web', uid: 'rs' } };
    const pod = aPod('new', { node: '', owner });
    const nodes = [on(clean(aNode('a')), aPod('sibling', { owner })), on(clean(aNode('b')), aPod('stranger'))];
    assert.deepEqual(
      placePod(pod, nodes, () => 0),
      { kind: 'bind', node: 'b' },
    );
  });
});
