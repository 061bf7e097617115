import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pace } from '../pace.ts';
import type { KubeClient, WatchEvent } from './kube-client.ts';
import { KubeApiError } from './kube-error.ts';
import { listWatch } from './list-watch.ts';
import type { Pod } from './pod.ts';
import { PODS } from './resource.ts';

function pod(name: string, uid: string, resourceVersion: string): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, uid, resourceVersion }, spec: { containers: [] } };
}

const NO_WAIT: Pace = { speed: 1, sleep: async () => {}, after: () => () => {}, now: () => new Date(0) };

type Connection = { readonly events?: readonly WatchEvent<Pod>[]; readonly fails?: Error };

/** Plays the lists and watch connections in order, then stops the list-watch. */
async function run(lists: readonly { items: readonly Pod[]; version: string }[], connections: readonly Connection[]) {
  const stop = new AbortController();
  const asked: string[] = [];
  const seen: string[] = [];
  const [pendingLists, pendingConnections] = [[...lists], [...connections]];
  const client = {
    list: async () => {
      const next = pendingLists.shift();
      asked.push('list');
      return { items: next?.items ?? [], resourceVersion: next?.version ?? '' };
    },
    watch: async function* (_type: unknown, version: string) {
      asked.push(`watch ${version}`);
      const next = pendingConnections.shift();
      if (next === undefined) stop.abort();
      for (const event of next?.events ?? []) yield event;
      if (next?.fails !== undefined) throw next.fails;
    },
  } as unknown as KubeClient;
  await listWatch(
    client,
    PODS,
    {
      onPut: (each) => seen.push(`put ${each.metadata.name}@${each.metadata.resourceVersion}`),
      onGone: (each) => seen.push(`gone ${each.metadata.name}/${each.metadata.uid}`),
      onTrouble: (error) => seen.push(`trouble ${(error as Error).message}`),
    },
    { pace: NO_WAIT, signal: stop.signal },
  );
  return { asked, seen };
}

test('a watch that ends goes on from the last version seen, bookmarks included', async () => {
  const { asked, seen } = await run(
    [{ items: [pod('a', '1', '5')], version: '10' }],
    [
      { events: [{ type: 'MODIFIED', object: pod('a', '1', '11') }] },
      { events: [{ type: 'BOOKMARK', object: pod('', '', '20') }] },
    ],
  );
  assert.deepEqual(asked, ['list', 'watch 10', 'watch 11', 'watch 20']);
  assert.deepEqual(seen, ['put a@5', 'put a@11']);
});

test('after 410 everything is listed again and what went meanwhile is reported gone', async () => {
  const { asked, seen } = await run(
    [
      { items: [pod('a', '1', '5'), pod('b', '2', '6')], version: '10' },
      { items: [pod('a', '9', '30')], version: '31' },
    ],
    [{ events: [{ type: 'ERROR', object: { code: 410, message: 'too old' } }] }],
  );
  assert.deepEqual(asked, ['list', 'watch 10', 'list', 'watch 31']);
  assert.deepEqual(seen, ['put a@5', 'put b@6', 'gone a/1', 'gone b/2', 'put a@30']);
});

test('a cut connection is told and taken up where it broke', async () => {
  const { asked, seen } = await run(
    [{ items: [], version: '10' }],
    [{ events: [{ type: 'ADDED', object: pod('a', '1', '12') }], fails: new KubeApiError(0, 'Unreachable', 'cut') }],
  );
  assert.deepEqual(asked, ['list', 'watch 10', 'watch 12']);
  assert.deepEqual(seen, ['put a@12', 'trouble cut']);
});

test('a deletion is reported once', async () => {
  const { seen } = await run(
    [
      { items: [pod('a', '1', '5')], version: '10' },
      { items: [], version: '20' },
    ],
    [{ events: [{ type: 'DELETED', object: pod('a', '1', '11') }], fails: new KubeApiError(410, 'Expired', 'old') }],
  );
  assert.deepEqual(seen, ['put a@5', 'gone a/1']);
});
