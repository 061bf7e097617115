import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Lease, LeaseLost, type LeaseSubject } from '@hephaisto/core/ports/leases';
import { DATABASES, type TestDatabase } from '@hephaisto/test/database';
import { createLeases, requireEpoch } from './leases.ts';

const TTL_MS = 2_000;
const HOLDER = { pod: 'operator-1', bootId: 'boot' } as const;

function subject(): LeaseSubject {
  return { kind: 'leader', key: randomUUID() };
}

function request(): { runId: string; holder: typeof HOLDER; ttlMs: number } {
  return { runId: randomUUID(), holder: HOLDER, ttlMs: TTL_MS };
}

for (const { name, open } of DATABASES) {
  describe(`leases (${name})`, () => {
    let db: TestDatabase;
    before(async () => {
      db = await open();
    });
    after(() => db.close());

    async function held(of: LeaseSubject = subject()): Promise<Lease> {
      const grant = await createLeases(db).acquire(of, request());
      assert.ok(grant.kind === 'held');
      return grant.lease;
    }

    test('a subject that somebody holds is busy, and says who and until when', async () => {
      const lease = await held();
      const grant = await createLeases(db).acquire(lease, request());
      assert.ok(grant.kind === 'busy');
      assert.deepEqual(grant.holder, HOLDER);
      assert.ok(grant.expiresAt instanceof Date);
    });

    test('of many that ask at once exactly one gets it', async () => {
      const of = subject();
      const grants = await Promise.all(Array.from({ length: 12 }, () => createLeases(db).acquire(of, request())));
      assert.equal(grants.filter((grant) => grant.kind === 'held').length, 1);
    });

    test('the epoch grows with every grant, over releases and expiries', async () => {
      const of = subject();
      const epochs: number[] = [];
      for (let round = 0; round < 4; round += 1) {
        const lease = await held(of);
        epochs.push(lease.epoch);
        await createLeases(db).release(lease);
      }
      assert.deepEqual(epochs, [1, 2, 3, 4]);
    });

    test('a released lease is refused by name', async () => {
      const lease = await held();
      await createLeases(db).release(lease);
      assert.partialDeepStrictEqual(await createLeases(db).renew(lease, TTL_MS), { kind: 'lost', reason: 'released' });
      await assert.rejects(
        db.transaction((tx) => requireEpoch(tx, lease)),
        LeaseLost,
      );
    });

    test('a lease that nobody granted is refused', async () => {
      const lease: Lease = { ...subject(), runId: randomUUID(), epoch: 1 };
      assert.partialDeepStrictEqual(await createLeases(db).check(lease), { kind: 'lost', reason: 'missing' });
    });

    test('releasing what another one took over changes nothing', async () => {
      const old = await held();
      await createLeases(db).release(old);
      const current = await held(old);
      await createLeases(db).release(old);
      assert.equal((await createLeases(db).check(current)).kind, 'valid');
      assert.partialDeepStrictEqual(await createLeases(db).check(old), { kind: 'lost', reason: 'superseded' });
    });

    test('a lease runs out by the database’s clock, is lost even untaken, and may then be taken', async () => {
      const moving = await open();
      try {
        const leases = createLeases(moving);
        const grant = await leases.acquire(subject(), request());
        assert.ok(grant.kind === 'held');
        assert.equal((await leases.renew(grant.lease, TTL_MS)).kind, 'valid');
        await moving.moveClock('10 seconds');
        assert.partialDeepStrictEqual(await leases.renew(grant.lease, TTL_MS), { kind: 'lost', reason: 'expired' });
        await assert.rejects(
          moving.transaction((tx) => requireEpoch(tx, grant.lease)),
          (error) => error instanceof LeaseLost && error.reason === 'expired',
        );
        const next = await leases.acquire(grant.lease, request());
        assert.ok(next.kind === 'held');
        assert.equal(next.lease.epoch, grant.lease.epoch + 1);
      } finally {
        await moving.close();
      }
    });

    test('a write with a lost lease leaves nothing', async () => {
      const lease = await held();
      await createLeases(db).release(lease);
      const write = db.transaction(async (tx) => {
        await tx.execute(`INSERT INTO clusters (id, is_local, display_name) VALUES ('x', true, 'x')`);
        await requireEpoch(tx, lease);
      });
      await assert.rejects(write, LeaseLost);
      assert.deepEqual(await db.query(`SELECT 1 FROM clusters WHERE id = 'x'`), []);
    });
  });

  if (name === 'postgres') {
    describe('leases under concurrent transactions (postgres)', () => {
      test('a write that has checked its epoch delays a take-over, but not its own renewal', async () => {
        await using db = await open();
        const leases = createLeases(db.connect());
        const grant = await leases.acquire(subject(), request());
        assert.ok(grant.kind === 'held');
        const order: string[] = [];
        let takeover: Promise<unknown> = Promise.resolve();
        await db.transaction(async (tx) => {
          await requireEpoch(tx, grant.lease);
          assert.equal((await leases.renew(grant.lease, TTL_MS)).kind, 'valid');
          await leases.release(grant.lease);
          takeover = leases.acquire(grant.lease, request()).then(() => order.push('taken over'));
          await new Promise((resolve) => setTimeout(resolve, 200));
          order.push('committed');
        });
        await takeover;
        assert.deepEqual(order, ['committed', 'taken over']);
      });
    });
  }
}
