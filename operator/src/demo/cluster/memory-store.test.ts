import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMemoryStore, type MemoryStoreOptions } from './memory-store.ts';
import type { GroupVersionResource, KubeObject } from './object.ts';
import { StoreError, type StoreEvent } from './store.ts';
import { NAMESPACES, PODS } from './type-key.ts';

const CONFIG_MAPS: GroupVersionResource = { group: '', version: 'v1', resource: 'configmaps' };

function storeAt(options: Partial<MemoryStoreOptions> = {}) {
  let count = 0;
  return createMemoryStore({
    now: () => new Date('2026-01-02T03:04:05.678Z'),
    ids: { uuid: () => `id-${++count}` },
    ...options,
  });
}

function pod(name: string, more: Partial<KubeObject> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'shop' }, spec: { containers: [] }, ...more };
}

function reason(expected: StoreError['reason']) {
  return (error: unknown) => error instanceof StoreError && error.reason === expected;
}

describe('memory store', () => {
  it('gives a created object its server fields', () => {
    const { metadata } = storeAt().create(PODS, pod('a'));
    assert.deepEqual(
      {
        uid: metadata.uid,
        at: metadata.creationTimestamp,
        generation: metadata.generation,
        revision: metadata.resourceVersion,
      },
      { uid: 'id-1', at: '2026-01-02T03:04:05Z', generation: 1, revision: '2' },
    );
  });

  it('makes a name from generateName and draws again when it is taken', () => {
    const ids = ['same', 'same', 'other'];
    const store = storeAt({ ids: { uuid: () => ids.shift() ?? 'spare' } });
    const draft = pod('', { metadata: { name: '', generateName: 'web-', namespace: 'shop' } });
    const [one, two] = [store.create(PODS, draft), store.create(PODS, draft)];
    assert.match(one.metadata.name, /^web-[a-z0-9]{5}$/);
    assert.notEqual(one.metadata.name, two.metadata.name);
  });

  it('refuses a second object of the name', () => {
    const store = storeAt();
    store.create(PODS, pod('a'));
    assert.throws(() => store.create(PODS, pod('a')), reason('AlreadyExists'));
  });

  it('hands out snapshots that nobody can change', () => {
    const given = pod('a', { spec: { containers: [{ name: 'c' }] } });
    const stored = storeAt().create(PODS, given);
    (given.spec as { containers: { name: string }[] }).containers[0] = { name: 'changed' };
    assert.deepEqual(stored.spec, { containers: [{ name: 'c' }] });
    assert.throws(() => Object.assign(stored.spec as object, { hostNetwork: true }), TypeError);
  });

  it('counts a generation for a change of spec, none for one of labels, status or node', () => {
    const store = storeAt();
    store.create(PODS, pod('a'));
    const labelled = store.update(PODS, pod('a', { metadata: { name: 'a', namespace: 'shop', labels: { x: 'y' } } }));
    const started = store.update(PODS, pod('a', { status: { phase: 'Running' } }), 'status');
    const bound = store.update(PODS, pod('a', { spec: { containers: [], nodeName: 'n' } }));
    const changed = store.update(PODS, pod('a', { spec: { containers: [], nodeName: 'n', activeDeadlineSeconds: 9 } }));
    assert.deepEqual(
      [labelled, started, bound, changed].map((object) => object.metadata.generation),
      [1, 1, 1, 2],
    );
    assert.deepEqual(bound.status, { phase: 'Running' });
    assert.deepEqual(started.metadata.labels, { x: 'y' });
  });

  it('makes nothing of a write that changes nothing', () => {
    const store = storeAt();
    const created = store.create(PODS, pod('a'));
    const events: StoreEvent[] = [];
    store.subscribe(PODS, (event) => events.push(event));
    assert.equal(store.update(PODS, created), created);
    assert.deepEqual(events, []);
  });

  it('refuses a write from an old resourceVersion or to another uid', () => {
    const store = storeAt();
    const old = store.create(PODS, pod('a'));
    store.update(PODS, { ...old, status: { phase: 'Running' } }, 'status');
    assert.throws(() => store.update(PODS, { ...old, spec: {} }), reason('Conflict'));
    assert.throws(() => store.remove(PODS, 'shop', 'a', { uid: 'else' }), reason('Conflict'));
    assert.throws(() => store.remove(PODS, 'shop', 'b'), reason('NotFound'));
  });

  it('marks a pod on a node and lets its kubelet remove it; an unscheduled one goes at once', () => {
    const store = storeAt();
    store.create(PODS, pod('waiting'));
    store.create(PODS, pod('bound', { spec: { nodeName: 'n', terminationGracePeriodSeconds: 10 } }));
    store.remove(PODS, 'shop', 'waiting');
    store.remove(PODS, 'shop', 'bound');
    const marked = store.get(PODS, 'shop', 'bound')?.metadata;
    assert.equal(store.get(PODS, 'shop', 'waiting'), undefined);
    assert.equal(marked?.deletionTimestamp, '2026-01-02T03:04:15Z');
    assert.equal(marked?.deletionGracePeriodSeconds, 10);
    store.remove(PODS, 'shop', 'bound', { force: true });
    assert.equal(store.get(PODS, 'shop', 'bound'), undefined);
  });

  it('keeps an object until its last finalizer is taken away', () => {
    const store = storeAt();
    const held = store.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', namespace: 'shop', finalizers: ['example.com/hold'] },
    });
    store.remove(CONFIG_MAPS, 'shop', 'c', { force: true });
    assert.ok(store.get(CONFIG_MAPS, 'shop', 'c')?.metadata.deletionTimestamp);
    store.update(CONFIG_MAPS, { ...held, metadata: { name: 'c', namespace: 'shop', finalizers: [] } });
    assert.equal(store.get(CONFIG_MAPS, 'shop', 'c'), undefined);
  });

  it('takes the content of a namespace along', () => {
    const store = storeAt();
    store.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    store.create(PODS, pod('a', { spec: { nodeName: 'n' } }));
    store.create(PODS, pod('a', { metadata: { name: 'a', namespace: 'kept' } }));
    store.remove(NAMESPACES, '', 'shop');
    assert.deepEqual(
      store.list(PODS).map(({ metadata }) => metadata.namespace),
      ['kept'],
    );
  });

  it('removes dependents first in the foreground and cuts them loose as orphans', () => {
    const store = storeAt();
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'id-1' }];
    store.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'o', namespace: 'shop' } });
    store.create(PODS, pod('a', { metadata: { name: 'a', namespace: 'shop', ownerReferences } }));
    store.remove(CONFIG_MAPS, 'shop', 'o', { propagation: 'Orphan' });
    assert.equal(store.get(PODS, 'shop', 'a')?.metadata.ownerReferences, undefined);
    const again = store.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'o', namespace: 'shop' },
    });
    const owned = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: String(again.metadata.uid) }];
    store.update(PODS, pod('a', { metadata: { name: 'a', namespace: 'shop', ownerReferences: owned } }));
    store.remove(CONFIG_MAPS, 'shop', 'o', { propagation: 'Foreground' });
    assert.deepEqual(store.list(PODS), []);
  });

  it('reaches every watcher in the order of the writes, also when a watcher writes', () => {
    const store = storeAt();
    const seen: [string[], string[]] = [[], []];
    const note = (at: 0 | 1) => (event: StoreEvent) => seen[at].push(`${event.type} ${event.object.metadata.name}`);
    store.subscribe(PODS, (event) => {
      note(0)(event);
      if (event.object.metadata.name === 'a' && event.type === 'ADDED') store.create(PODS, pod('b'));
    });
    store.subscribe(PODS, note(1));
    store.create(PODS, pod('a'));
    assert.deepEqual(seen, [
      ['ADDED a', 'ADDED b'],
      ['ADDED a', 'ADDED b'],
    ]);
  });

  it('tells what came after a revision, with the state before, until it is compacted', () => {
    const store = storeAt();
    const first = store.create(PODS, pod('a'));
    store.update(PODS, pod('a', { spec: { nodeName: 'n' } }));
    const events = store.since(PODS, Number(first.metadata.resourceVersion));
    assert.deepEqual(
      events.map(({ type, previous }) => [type, previous]),
      [['MODIFIED', first]],
    );
    store.compact();
    assert.throws(() => store.since(PODS, Number(first.metadata.resourceVersion)), reason('Expired'));
    assert.deepEqual(store.since(PODS, store.revision()), []);
  });

  it('keeps a bounded window', () => {
    const store = storeAt({ window: 4 });
    for (let count = 0; count < 20; count++) store.create(PODS, pod(`p${count}`));
    assert.throws(() => store.since(PODS, 1), reason('Expired'));
    assert.ok(store.since(PODS, store.oldestRevision()).length >= 4);
  });

  it('previews a write without storing it', () => {
    const store = storeAt();
    store.create(PODS, pod('a'));
    const before = store.revision();
    assert.equal(store.preview.update(PODS, pod('a', { spec: { hostNetwork: true } })).metadata.generation, 2);
    assert.equal(store.preview.create(PODS, pod('b')).metadata.name, 'b');
    assert.throws(() => store.preview.remove(PODS, 'shop', 'none'), reason('NotFound'));
    store.preview.remove(PODS, 'shop', 'a');
    assert.equal(store.revision(), before);
    assert.deepEqual(
      store.list(PODS).map(({ metadata }) => metadata.name),
      ['a'],
    );
  });

  it('lists by namespace, then name', () => {
    const store = storeAt();
    for (const [namespace, name] of [
      ['b', 'x'],
      ['a', 'z'],
      ['a', 'y'],
    ] as const) {
      store.create(PODS, pod(name, { metadata: { name, namespace } }));
    }
    assert.deepEqual(
      store.list(PODS).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
      ['a/y', 'a/z', 'b/x'],
    );
    assert.deepEqual(store.list(PODS, 'b').length, 1);
  });
});
