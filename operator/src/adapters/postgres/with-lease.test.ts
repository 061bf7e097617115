import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Timers } from '@hephaisto/core/ports/clock';
import { StoreUnavailable } from '@hephaisto/core/ports/database';
import { type Lease, type LeaseCheck, LeaseLost, type Leases } from '@hephaisto/core/ports/leases';
import { createUnderLease } from '../../wiring/held-lease.ts';
import { withLease } from './with-lease.ts';

const LEASE: Lease = { kind: 'leader', key: 'c', runId: 'r', epoch: 7 };
const VALID: LeaseCheck = { kind: 'valid', expiresAt: new Date(0) };

/** Timers that fire when the test moves them. */
class ManualTimers implements Timers {
  private now = 0;
  private due: { at: number; callback: () => void }[] = [];

  after(milliseconds: number, callback: () => void): () => void {
    const entry = { at: this.now + milliseconds, callback };
    this.due.push(entry);
    return () => {
      this.due = this.due.filter((other) => other !== entry);
    };
  }

  sleep(): Promise<void> {
    return Promise.reject(new Error('expected no sleep'));
  }

  get pending(): number {
    return this.due.length;
  }

  async advance(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    for (;;) {
      const next = this.due.filter((entry) => entry.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.now = next.at;
      this.due = this.due.filter((entry) => entry !== next);
      next.callback();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.now = end;
  }
}

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

interface Scene {
  readonly log: typeof QUIET;
  readonly timers: ManualTimers;
  readonly renewals: (() => Promise<LeaseCheck>)[];
  readonly released: Lease[];
  readonly leases: Leases;
}

function scene(renewals: (() => Promise<LeaseCheck>)[]): Scene {
  const released: Lease[] = [];
  const leases: Leases = {
    acquire: async () => ({ kind: 'held', lease: LEASE }),
    renew: () => (renewals.shift() ?? (async () => VALID))(),
    release: async (lease) => void released.push(lease),
    check: async () => VALID,
  };
  return { log: QUIET, timers: new ManualTimers(), renewals, released, leases };
}

const REQUEST = {
  subject: { kind: 'leader', key: 'c' },
  runId: 'r',
  holder: { pod: 'p', bootId: 'b' },
  ttlMs: 10,
  renewEveryMs: 3,
} as const;

/** Runs work that waits for its signal, moves the timers, and says why the signal was aborted. */
async function reasonAfter(world: Scene, milliseconds: number): Promise<unknown> {
  const run = withLease({ ...world, ...REQUEST }, (_, signal) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    signal.addEventListener('abort', () => resolve(signal.reason));
    return promise;
  });
  await new Promise((resolve) => setImmediate(resolve));
  await world.timers.advance(milliseconds);
  const result = await Promise.race([run, new Promise((resolve) => setTimeout(resolve, 50, 'still running'))]);
  return typeof result === 'object' && result !== null && 'value' in result ? result.value : result;
}

const unreachable = (): Promise<LeaseCheck> => Promise.reject(new StoreUnavailable('gone', { outcome: 'none' }));
const silent = (): Promise<LeaseCheck> => new Promise(() => undefined);

test('work goes on for many times the lease as long as renewals succeed', async () => {
  assert.equal(await reasonAfter(scene([]), 1_000), 'still running');
});

test('one renewal that the database did not answer is forgiven', async () => {
  assert.equal(await reasonAfter(scene([unreachable]), 1_000), 'still running');
});

test('a refused renewal aborts the work with its reason', async () => {
  const reason = await reasonAfter(scene([async () => ({ kind: 'lost', reason: 'superseded', message: 'taken' })]), 3);
  assert.ok(reason instanceof LeaseLost);
  assert.equal(reason.reason, 'superseded');
});

test('renewals that fail for the lease’s whole time abort the work although the database said nothing', async () => {
  const reason = await reasonAfter(scene([unreachable, unreachable, unreachable, unreachable]), 10);
  assert.ok(reason instanceof LeaseLost);
  assert.equal(reason.reason, 'expired');
});

test('a renewal that never answers aborts the work when the time is over', async () => {
  const reason = await reasonAfter(scene([silent]), 10);
  assert.ok(reason instanceof LeaseLost);
});

test('a busy subject is not worked on', async () => {
  const world = scene([]);
  const busy = { kind: 'busy', holder: { pod: 'other', bootId: 'x' }, expiresAt: new Date(0) } as const;
  const run = await withLease({ ...world, ...REQUEST, leases: { ...world.leases, acquire: async () => busy } }, () =>
    Promise.reject(new Error('expected no work')),
  );
  assert.deepEqual(run, busy);
  assert.deepEqual(world.released, []);
});

test('the lease is released and no timer is left, however the work ends', async () => {
  for (const work of [async () => 1, () => Promise.reject(new Error('failed'))]) {
    const world = scene([]);
    await withLease({ ...world, ...REQUEST }, work).catch(() => undefined);
    assert.deepEqual(world.released, [LEASE]);
    assert.equal(world.timers.pending, 0);
  }
});

test('an outer signal reaches the work with its reason', async () => {
  const world = scene([]);
  const outer = new AbortController();
  const run = withLease({ ...world, ...REQUEST, signal: outer.signal }, async (_, signal) => {
    outer.abort('stop');
    return signal.reason;
  });
  assert.deepEqual(await run, { kind: 'done', value: 'stop' });
});

test('the keeper of the running product notices a renewal that never answers', async () => {
  const world = scene([silent]);
  const underLease = createUnderLease(
    { ...world, ids: { uuid: () => 'r', token: () => 't' }, holder: { pod: 'p', bootId: 'b' } },
    { ttlMs: 10, renewMs: 3 },
  );
  const request = { subject: REQUEST.subject, cluster: 'c', signal: new AbortController().signal };
  const run = underLease(request, (_, signal) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    signal.addEventListener('abort', () => resolve(signal.reason));
    return promise;
  });
  await new Promise((resolve) => setImmediate(resolve));
  await world.timers.advance(10);
  const ended = await run;
  assert.ok(ended.kind === 'done' && ended.value instanceof LeaseLost);
});

test('a grant that was longer on its way than the lease lasts is no lease', async () => {
  const world = scene([]);
  const answer = Promise.withResolvers<void>();
  const leases: Leases = {
    ...world.leases,
    acquire: async () => {
      await answer.promise;
      return { kind: 'held', lease: LEASE };
    },
  };
  const run = withLease({ ...world, ...REQUEST, leases }, async (_, signal) => signal.reason);
  await world.timers.advance(11);
  answer.resolve();
  const ended = await run;
  assert.ok(ended.kind === 'done' && ended.value instanceof LeaseLost);
  assert.equal(world.timers.pending, 0);
});

test('a release that never answers holds nobody up for longer than the lease lasts', async () => {
  const world = scene([]);
  const leases: Leases = { ...world.leases, release: () => new Promise(() => undefined) };
  const run = withLease({ ...world, ...REQUEST, leases }, async () => 1);
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  await world.timers.advance(10);
  assert.deepEqual(await run, { kind: 'done', value: 1 });
});
