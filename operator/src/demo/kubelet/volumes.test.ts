import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ordinals } from './ordinals.ts';
import { pod } from './pod.fixture.ts';
import { Volumes } from './volumes.ts';

const EMPTY = { volumes: [{ name: 'v', emptyDir: {} }] };
const EXPORT = { volumes: [{ name: 'v', nfs: { server: 's', path: '/p' } }] };

test('what is left in an emptyDir is seen by that pod only and goes with it', () => {
  const volumes = new Volumes();
  volumes.leave(pod(EMPTY), 'v', 'lock');
  assert.deepEqual([...volumes.markers(pod(EMPTY))], ['v/lock']);
  assert.deepEqual([...volumes.markers(pod(EMPTY, { uid: 'uid-2' }))], []);
  volumes.podGone('uid-1');
  assert.deepEqual([...volumes.markers(pod(EMPTY))], []);
});

test('what is left on an export is found by every later pod that mounts it', () => {
  const volumes = new Volumes();
  volumes.leave(pod(EXPORT), 'v', 'damage');
  volumes.podGone('uid-1');
  assert.deepEqual([...volumes.markers(pod(EXPORT, { uid: 'uid-2' }))], ['v/damage']);
  assert.deepEqual([...volumes.markers(pod(EMPTY, { uid: 'uid-3' }))], []);
});

test('a replacement is never the first pod of its owner', () => {
  const ordinals = new Ordinals();
  const owned = (uid: string) =>
    pod(
      {},
      {
        uid,
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'rs-1', controller: true }],
      },
    );
  assert.deepEqual(
    ['a', 'b', 'a'].map((uid) => ordinals.of(owned(uid))),
    [0, 1, 0],
  );
  ordinals.podGone('a');
  assert.equal(ordinals.of(owned('c')), 2);
});
