import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyStrategicMerge } from './strategic-merge.ts';

const POD = {
  metadata: { finalizers: ['a'], labels: { app: 'web', tier: 'front' } },
  containers: [
    { name: 'app', image: 'web:1', env: [{ name: 'A', value: '1' }], args: ['x'] },
    { name: 'proxy', image: 'proxy:1' },
  ],
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
};

const CASES: Readonly<
  Record<string, { readonly patch: object; readonly found: (changed: unknown) => unknown; readonly is: unknown }>
> = {
  'changes the item that the key names and no other': {
    patch: { containers: [{ name: 'app', image: 'web:2' }] },
    found: (changed) => (changed as typeof POD).containers,
    is: [{ ...POD.containers[0], image: 'web:2' }, POD.containers[1]],
  },
  'adds the item that is not there, in the order that is asked for': {
    patch: {
      '$setElementOrder/containers': [{ name: 'new' }, { name: 'app' }, { name: 'proxy' }],
      containers: [{ name: 'new', image: 'n' }],
    },
    found: (changed) => (changed as typeof POD).containers.map(({ name }) => name),
    is: ['new', 'app', 'proxy'],
  },
  'takes the item away that it is told to': {
    patch: { containers: [{ name: 'proxy', $patch: 'delete' }] },
    found: (changed) => (changed as typeof POD).containers.map(({ name }) => name),
    is: ['app'],
  },
  'replaces lists without a key whole': {
    patch: { containers: [{ name: 'app', args: ['y'] }] },
    found: (changed) => (changed as typeof POD).containers[0]?.args,
    is: ['y'],
  },
  'adds and removes fields of a map': {
    patch: { metadata: { labels: { tier: null, new: 'x' } } },
    found: (changed) => (changed as typeof POD).metadata.labels,
    is: { app: 'web', new: 'x' },
  },
  'adds to and takes from lists of plain values': {
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['b'] } },
    found: (changed) => (changed as typeof POD).metadata.finalizers,
    is: ['b'],
  },
  'keeps only the fields that it names to keep': {
    patch: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
    found: (changed) => (changed as typeof POD).strategy,
    is: { type: 'Recreate' },
  },
};

describe('a strategic merge', () => {
  for (const [name, { patch, found, is }] of Object.entries(CASES))
    it(name, () => {
      const before = structuredClone(POD);
      assert.deepEqual(found(applyStrategicMerge(POD, patch)), is);
      assert.deepEqual(POD, before);
    });

  it('is refused where it cannot be followed', () => {
    assert.throws(() => applyStrategicMerge(POD, { $patch: 'sideways' }), /unknown directive/);
    assert.throws(() => applyStrategicMerge(POD, { containers: [{ image: 'x' }] }), /merge key/);
    assert.throws(() => applyStrategicMerge(POD, []), /expected an object/);
  });
});
