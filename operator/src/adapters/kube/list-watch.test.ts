import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import type { FeedState } from '@hephaisto/core/ports/object-feed';
import type { KubeConnection } from './connection.ts';
import { createListWatch } from './list-watch.ts';

const PODS = { apiVersion: 'v1', resource: 'pods', namespace: '' };
const EMPTY = JSON.stringify({ kind: 'PodList', metadata: { resourceVersion: '5' }, items: [] });
const GONE: KubeFailure = { kind: 'failure', reason: 'gone', message: 'too old' };

interface Served {
  /** How long each watch lives, in milliseconds. */
  readonly livesMs: number;
  readonly ends: 'ok' | KubeFailure;
  readonly watches: number;
}

/** Follows pods against a server that ends each watch in the same way; time passes only where it is made to. */
async function followed({ livesMs, ends, watches }: Served) {
  let nowMs = 0;
  const stop = new AbortController();
  const seen = { lists: 0, watches: 0, pauses: [] as number[], states: [] as FeedState['kind'][] };
  const connection: Pick<KubeConnection, 'request' | 'stream'> = {
    async request() {
      seen.lists += 1;
      return { kind: 'ok', value: { status: 200, headers: {}, text: EMPTY } };
    },
    async stream(_call, _onLine, onOpen) {
      seen.watches += 1;
      onOpen?.();
      nowMs += livesMs;
      if (seen.watches === watches) stop.abort();
      return ends === 'ok' ? { kind: 'ok', value: 'ended' } : ends;
    },
  };
  const feeds = createListWatch({
    connection: connection as KubeConnection,
    clock: { now: () => new Date(0), monotonicMs: () => nowMs },
    timers: {
      sleep: async (milliseconds) => void seen.pauses.push(milliseconds),
      after: () => () => undefined,
    },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    random: () => 0.5,
    pageSize: 100,
    idleMs: 60_000,
    backoff: { firstMs: 500, longestMs: 30_000, minimumLifeMs: 5_000 },
  });
  await feeds.follow(
    PODS,
    {
      project: () => undefined,
      replaced: () => undefined,
      changed: () => undefined,
      heard: () => undefined,
      state: (state) => void seen.states.push(state.kind),
    },
    stop.signal,
  );
  return seen;
}

describe('a watch that ends', () => {
  it('in good order but at once is opened again after growing pauses, and is reported as failing once that is no chance', async () => {
    const { pauses, lists, states } = await followed({ livesMs: 10, ends: 'ok', watches: 6 });
    assert.deepEqual(pauses, [500, 1_000, 2_000, 4_000, 8_000]);
    assert.equal(lists, 1);
    assert.deepEqual(states.slice(0, 6), ['listing', 'watching', 'watching', 'watching', 'failing', 'watching']);
  });

  it('in good order after its usual time is opened again almost at once', async () => {
    const { pauses, states } = await followed({ livesMs: 300_000, ends: 'ok', watches: 4 });
    assert.deepEqual(pauses, [250, 250, 250]);
    assert.ok(!states.includes('failing'));
  });

  it('with its history gone is listed again at once, but not in a tight loop when that is gone again at once', async () => {
    const { pauses, lists } = await followed({ livesMs: 10, ends: GONE, watches: 5 });
    assert.deepEqual(pauses, [1_000, 2_000, 4_000]);
    assert.equal(lists, 5);
  });
});
