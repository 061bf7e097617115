import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigMapSource } from '@hephaisto/core/ports/config-map';
import { followConfigMap } from './config-map-arm.ts';

const FORBIDDEN = { kind: 'failure', reason: 'forbidden', message: 'may not list configmaps' } as const;

test('a ConfigMap that stays unreadable is told once, and told again once it can be read', async () => {
  const warned: string[] = [];
  const informed: string[] = [];
  let reads = 0;
  const readable = Promise.withResolvers<void>();
  const source: ConfigMapSource = {
    read: async () => {
      reads += 1;
      if (reads <= 4) return FORBIDDEN;
      return { kind: 'ok', value: { kind: 'present', resourceVersion: '1', data: { mode: 'approve' } } };
    },
    follow: (_version, _changed, signal) => {
      readable.resolve();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'ok', value: 'ended' })));
    },
  };
  let changes = 0;
  const arm = followConfigMap(
    source,
    {
      clock: { now: () => new Date(0), monotonicMs: () => 0 },
      random: () => 0.5,
      timers: { sleep: async () => undefined } as never,
      log: { debug() {}, error() {}, warn: (text) => warned.push(text), info: (text) => informed.push(text) },
    },
    () => {
      changes += 1;
    },
  );
  await readable.promise;
  assert.deepEqual([warned.length, informed.length, changes], [1, 1, 2]);
  assert.deepEqual(arm.current(), { kind: 'read', values: { agent_mode: 'approve' } });
  await arm.close();
});

test('a watch that ends in good order at once is opened again after growing pauses, not in a tight loop', async () => {
  const pauses: number[] = [];
  const enough = Promise.withResolvers<void>();
  const source: ConfigMapSource = {
    read: async () => ({ kind: 'ok', value: { kind: 'present', resourceVersion: '1', data: { mode: 'approve' } } }),
    follow: async () => ({ kind: 'ok', value: 'ended' }),
  };
  const arm = followConfigMap(
    source,
    {
      clock: { now: () => new Date(0), monotonicMs: () => 0 },
      random: () => 0.5,
      timers: {
        sleep: async (milliseconds: number, signal?: AbortSignal) => {
          pauses.push(milliseconds);
          if (pauses.length < 4) return;
          enough.resolve();
          await new Promise((resolve) => signal?.addEventListener('abort', resolve));
        },
      } as never,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    },
    () => {},
  );
  await enough.promise;
  await arm.close();
  assert.deepEqual(pauses, [200, 400, 600, 600]);
});
