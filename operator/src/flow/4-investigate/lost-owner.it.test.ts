import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Investigator } from '@hephaisto/core/ports/investigator';
import { verifies } from '@hephaisto/test/verifies';
import { readStoredHealth } from '../9-report/health.ts';
import { bench, type InvestigationRow, mortal, TWO_REVISIONS } from './bench.fixture.ts';

const never = new AbortController().signal;

describe('an investigation that loses its owner', { timeout: 120_000 }, () => {
  it('a killed owner costs no finding, no second finding, and no second read of what was recorded', async () => {
    verifies('H3-3');
    const points = await pointsOfOneRun();
    assert.ok(points >= 12, `${points} points`);
    for (let at = 1; at <= points; at += 1) {
      await bench(TWO_REVISIONS, async ({ db, deps, replica, incident, reader }) => {
        const id = await incident();
        const victim = mortal(db);
        let hits = 0;
        const killed = Promise.withResolvers<void>();
        const faults = {
          hit: (): Promise<void> => {
            hits += 1;
            if (hits < at) return Promise.resolve();
            victim.kill();
            killed.resolve();
            return new Promise<never>(() => undefined);
          },
        };
        // A short deadline, so that the dead replica's timer does not outlive the test.
        void replica({ db: victim.db, faults, config: { deadlineMs: 2_000 } }).pass(never);
        await killed.promise;
        const recorded = await db.query<{ tool_name: string }>(`SELECT tool_name FROM steps WHERE status = 'ok'`);
        const before = reader.asked.length;
        await db.moveClock('30 seconds');
        const next = replica();
        while ((await next.pass(never)) > 0);
        const rows = await db.query<InvestigationRow>(
          'SELECT * FROM investigations WHERE incident_id = $1 ORDER BY attempt',
          [id],
        );
        assert.equal(rows.at(-1)?.state, 'Concluded', `killed at point ${at}`);
        assert.ok(rows.slice(0, -1).every(({ state }) => state === 'Faulted'));
        const primaries = await db.query(
          `SELECT f.id FROM findings f JOIN investigations n ON n.id = f.investigation_id WHERE n.incident_id = $1 AND f.is_primary`,
          [id],
        );
        assert.equal(primaries.length, 1, `killed at point ${at}`);
        if (rows.length === 2) {
          const again = reader.asked
            .slice(before)
            .filter((question) => question.startsWith('logs') || question.startsWith('events'));
          const had = recorded.map(({ tool_name }) => tool_name);
          if (had.includes('get_logs'))
            assert.ok(!again.some((question) => question.startsWith('logs')), `logs at ${at}`);
          if (had.includes('get_events'))
            assert.ok(!again.some((question) => question.startsWith('events')), `events at ${at}`);
        }
        assert.deepEqual(deps.complaints, []);
      });
    }
  });

  it('an investigation that kills two owners is not taken up a third time', async () => {
    await bench(TWO_REVISIONS, async ({ db, deps, replica, incident }) => {
      const id = await incident();
      for (const [bootId, later] of [
        ['first', '30 seconds'],
        ['second', '60 seconds'],
      ] as const) {
        const victim = mortal(db);
        const dead = Promise.withResolvers<never>();
        const begun = Promise.withResolvers<void>();
        const investigator: Investigator = {
          executor: 'Rules',
          investigate: () => {
            victim.kill();
            begun.resolve();
            return dead.promise;
          },
        };
        const holder = { pod: 'test', bootId, pid: bootId };
        void replica({ db: victim.db, investigator, holder, config: { deadlineMs: 2_000 } }).pass(never);
        await begun.promise;
        await db.moveClock(later);
      }
      const survivor = replica({ holder: { pod: 'test', bootId: 'third', pid: 'third' } });
      while ((await survivor.pass(never)) > 0);
      const rows = await db.query<InvestigationRow & { end_reason: string }>(
        'SELECT * FROM investigations WHERE incident_id = $1 ORDER BY attempt',
        [id],
      );
      assert.deepEqual(
        rows.map(({ state, end_reason }) => `${state} ${end_reason}`),
        ['Faulted owner-lost', 'Faulted unreadable'],
      );
      const [row] = await db.query<{ state: string; escalation_reason: string }>(
        'SELECT state, escalation_reason FROM incidents',
      );
      assert.deepEqual([row?.state, row?.escalation_reason], ['Escalated', 'Faulted']);
      assert.equal((await readStoredHealth(db)).unreadable.investigations, 1);
      assert.deepEqual(deps.complaints, []);
    });
  });

  it('an owner who dies again and again ends in a person’s hands after two requeues', async () => {
    await bench(TWO_REVISIONS, async ({ db, replica, incident }) => {
      const id = await incident();
      const dying: Investigator = {
        executor: 'Rules',
        investigate: () => Promise.reject(new Error('a mistake of ours')),
      };
      const stage = replica({ investigator: dying });
      while ((await stage.pass(never)) > 0);
      const rows = await db.query<InvestigationRow>(
        'SELECT * FROM investigations WHERE incident_id = $1 ORDER BY attempt',
        [id],
      );
      assert.deepEqual(
        rows.map(({ cause, state }) => `${cause} ${state}`),
        ['auto Faulted', 'requeue Faulted', 'requeue Faulted'],
      );
      const [row] = await db.query<{ state: string; escalation_reason: string }>(
        'SELECT state, escalation_reason FROM incidents',
      );
      assert.deepEqual([row?.state, row?.escalation_reason], ['Escalated', 'Faulted']);
    });
  });
});

async function pointsOfOneRun(): Promise<number> {
  let points = 0;
  await bench(TWO_REVISIONS, async ({ replica, incident }) => {
    await incident();
    const faults = {
      hit: (): Promise<void> => {
        points += 1;
        return Promise.resolve();
      },
    };
    await replica({ faults }).pass(never);
  });
  return points;
}
