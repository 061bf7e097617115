import assert from 'node:assert/strict';
import { test } from 'node:test';
import { underLease } from './under-lease.ts';

test('a clock that is set back does not make an old lease look fresh', async () => {
  let wallMs = 1_700_000_000_000;
  let passedMs = 0;
  let sent = false;
  const done = await underLease(
    {
      leases: {
        acquire: async (subject, { runId }) => ({ kind: 'held', lease: { ...subject, runId, epoch: 1 } }),
        renew: async () => ({ kind: 'valid', expiresAt: new Date(0) }),
        check: async () => ({ kind: 'valid', expiresAt: new Date(0) }),
        release: async () => undefined,
      },
      ids: { uuid: () => 'run', token: () => 'token' },
      holder: {},
      clock: { now: () => new Date(wallMs), monotonicMs: () => passedMs },
      settings: { leaseTtlMs: 15_000 } as Parameters<typeof underLease>[0]['settings'],
      log: { debug() {}, info() {}, warn() {}, error() {} },
    },
    'action',
    'a',
    async (held) => {
      passedMs += 20_000;
      wallMs -= 3_600_000;
      held.assertFresh();
      sent = true;
    },
  );
  assert.deepEqual([done, sent], [undefined, false]);
});
