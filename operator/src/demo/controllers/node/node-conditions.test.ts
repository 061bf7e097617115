import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition } from '../shape/condition.ts';
import type { Node, Taint, Toleration } from '../shape/pod.ts';
import { aNode, aPod, NOW } from '../testing/samples.ts';
import { evictionOf } from './eviction-time.ts';
import { graceOf, type Heartbeats, silentConditions } from './node-health.ts';
import { desiredTaints } from './node-taints.ts';

function nodeWith(conditions: readonly Condition[], spec: Node['spec'] = {}): Node {
  return { ...aNode('a'), spec, status: { conditions } };
}

const ready = (status: Condition['status']): Condition => ({ type: 'Ready', status });
const short = (taints: readonly Taint[]): readonly string[] => taints.map(({ key, effect }) => `${key}:${effect}`);

describe('the taints of a node', () => {
  const cases: readonly [string, Node, readonly string[]][] = [
    ['go when it is ready', { ...aNode('a') }, []],
    [
      'keep pods away and send them off when it is not ready',
      nodeWith([ready('False')]),
      ['node.kubernetes.io/not-ready:NoSchedule', 'node.kubernetes.io/not-ready:NoExecute'],
    ],
    [
      'say unreachable instead when nobody knows',
      nodeWith([ready('Unknown')], { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }] }),
      ['node.kubernetes.io/unreachable:NoSchedule', 'node.kubernetes.io/unreachable:NoExecute'],
    ],
    [
      'stand for pressure',
      nodeWith([ready('True'), { type: 'MemoryPressure', status: 'True' }]),
      ['node.kubernetes.io/memory-pressure:NoSchedule'],
    ],
    [
      'stand for a cordon',
      nodeWith([ready('True')], { unschedulable: true }),
      ['node.kubernetes.io/unschedulable:NoSchedule'],
    ],
    [
      'of other hands stay',
      nodeWith([ready('True')], { taints: [{ key: 'team', value: 'data', effect: 'NoSchedule' }] }),
      ['team:NoSchedule'],
    ],
  ];
  for (const [name, node, expected] of cases)
    it(name, () => assert.deepEqual(short(desiredTaints(node, NOW)), expected));

  it('keep the time at which they were added', () => {
    const added = { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute', timeAdded: '2030-01-01T00:00:00Z' };
    const taints = desiredTaints(nodeWith([ready('False')], { taints: [added] }), NOW);
    assert.deepEqual(
      taints.map(({ timeAdded }) => timeAdded),
      [added.timeAdded, NOW],
    );
  });
});

describe('a silent node', () => {
  const beats = (over: Partial<Heartbeats>): Heartbeats => ({
    silentFor: 0,
    interval: 10_000,
    leaseDurationSeconds: 40,
    speed: 1,
    ...over,
  });

  it('is given less real time under compressed time, but always two renewals', () => {
    assert.equal(graceOf(beats({ speed: 1 })), 50_000);
    assert.equal(graceOf(beats({ speed: 20 })), 25_000);
    assert.equal(graceOf(beats({ speed: 20, interval: 1_000 })), 2_500);
    assert.equal(graceOf(beats({ speed: 20, interval: undefined })), 25_000);
  });

  it('is said to be unknown, and what it never reported too', () => {
    const before = nodeWith([{ ...ready('True'), lastTransitionTime: 'earlier' }]);
    assert.equal(silentConditions(before, beats({ silentFor: 50_000 }), NOW), undefined);
    const after = silentConditions(before, beats({ silentFor: 50_001 }), NOW) ?? [];
    assert.deepEqual(
      after.map(({ type, status, reason }) => [type, status, reason]),
      [
        ['Ready', 'Unknown', 'NodeStatusUnknown'],
        ['MemoryPressure', 'Unknown', 'NodeStatusNeverUpdated'],
        ['DiskPressure', 'Unknown', 'NodeStatusNeverUpdated'],
        ['PIDPressure', 'Unknown', 'NodeStatusNeverUpdated'],
      ],
    );
    assert.equal(silentConditions(nodeWith(after), beats({ silentFor: 60_000 }), NOW), undefined, 'said once');
  });
});

describe('a pod on a node that sends pods off', () => {
  const unreachable: Taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' };
  const cases: readonly [string, readonly Toleration[], readonly Taint[], string | number][] = [
    ['stays five minutes when it says nothing', [], [unreachable], 300_000],
    [
      'stays as long as it says',
      [{ ...unreachable, operator: 'Exists', tolerationSeconds: 20 }],
      [unreachable],
      20_000,
    ],
    ['stays for ever when it says so', [{ key: unreachable.key, operator: 'Exists' }], [unreachable], 'stay'],
    ['leaves at once a taint that it does not tolerate', [], [{ key: 'broken', effect: 'NoExecute' }], 0],
    ['does not mind taints that only keep new pods away', [], [{ key: 'broken', effect: 'NoSchedule' }], 'stay'],
  ];
  for (const [name, tolerations, taints, expected] of cases)
    it(name, () => {
      const eviction = evictionOf(aPod('a', { spec: { tolerations } }), taints);
      assert.equal(eviction.kind === 'leave' ? eviction.after : eviction.kind, expected);
    });
});
