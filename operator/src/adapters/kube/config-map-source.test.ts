import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createConfigMapSource } from './config-map-source.ts';
import type { KubeConnection } from './connection.ts';

it('a watch that reports an error is ended at once, although the server leaves it open: switches are read anew', {
  timeout: 10_000,
}, async () => {
  const seen: unknown[] = [];
  const stream: KubeConnection['stream'] = async (call, onLine) => {
    onLine(JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410 } }));
    onLine(JSON.stringify({ type: 'MODIFIED', object: { data: { mode: 'approve' } } }));
    const { promise, resolve } = Promise.withResolvers<void>();
    if (call.signal?.aborted === true) resolve();
    else call.signal?.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    return { kind: 'failure', reason: 'cut', message: 'stopped by the caller' };
  };
  const source = createConfigMapSource({ stream } as KubeConnection, { namespace: 'h', name: 'switches' });
  const end = await source.follow('1', (state) => seen.push(state), new AbortController().signal);
  assert.deepEqual([end.kind === 'failure' && end.reason, seen], ['malformed', []]);
});
