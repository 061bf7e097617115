import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Database, StoreUnavailable } from '@hephaisto/core/ports/database';
import type { LineFaultPoint } from '@hephaisto/core/ports/fault-point-names';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { drain } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { createLeases } from '../adapters/postgres/leases.ts';
import { decideProposal } from '../commands/proposal-decide.ts';
import { createAdmitStage } from '../flow/6-admit/stage.ts';
import { createActStage } from '../flow/7-act/stage.ts';
import { createVerifyStage } from '../flow/8-verify/stage.ts';
import { FakeCluster } from './testing/fake-cluster.ts';
import { makeWorld, PATCH, testPolicy, type World } from './testing/world.ts';

interface Story {
  readonly name: string;
  readonly mode: 'auto' | 'approve';
  readonly healthy: boolean;
  readonly points: readonly LineFaultPoint[];
  readonly end: readonly [action: string, incident: string];
  readonly realWrites: number;
}

const HEALS: Story = {
  name: 'an approved repair that helps',
  mode: 'approve',
  healthy: true,
  points: [
    'admit:dry-run-started',
    'admit:dry-run-sent',
    'admit:proposed',
    'admit:voted',
    'admit:admitted',
    'act:dry-run-started',
    'act:dry-run-sent',
    'act:dry-run-ended',
    'act:execute-sent',
    'act:executed',
    'act:event-mirrored',
    'verify:checked',
  ],
  end: ['Verified', 'Resolved'],
  realWrites: 1,
};
const FAILS: Story = {
  name: 'a repair that does not help and is undone',
  mode: 'auto',
  healthy: false,
  points: [
    'admit:allowed',
    'act:execute-sent',
    'act:executed',
    'verify:checked',
    'act:undo-sent',
    'act:undo-applied',
    'act:event-mirrored',
  ],
  end: ['RolledBack', 'Escalated'],
  realWrites: 2,
};

describe('killed between two commits, and taken up by another process', () => {
  let db: TestDatabase;
  before(async () => {
    db = await createTestDatabase();
  });
  after(() => db.close());

  for (const story of [HEALS, FAILS])
    for (const point of story.points)
      for (const nth of point === 'verify:checked' ? [1, 2, 3] : [1])
        it(`${story.name}: killed at ${point} (${nth})`, async () => {
          verifies('H3-198', 'H4-20', 'H4-116');
          const { w, killed } = await play(db, story, point, nth);
          assert.ok(killed, `expected the point to be reached, found ${JSON.stringify(w)}`);
          assert.deepEqual([w.state, w.incident, w.writes], [...story.end, story.realWrites]);
          assert.equal(w.unhealed, 0, 'expected nothing open to be left behind');
        });

  it('killed before the call was sent: it is read back as not applied, and never sent', async () => {
    const started = { ...HEALS, end: ['Failed', 'Escalated'] as const, realWrites: 0 };
    const { w, killed } = await play(db, started, 'act:execute-started', 1);
    assert.deepEqual([killed, w.state, w.incident, w.writes], [true, 'Failed', 'Escalated', 0]);
  });

  it('killed before the undo was sent: once the target shows that nothing was applied, it is sent', async () => {
    const patient = { undoPatienceMs: 900_000 };
    const { w, killed } = await play(db, FAILS, 'act:undo-started', 1, patient);
    assert.deepEqual([killed, w.state, w.incident, w.writes], [true, 'RolledBack', 'Escalated', 2]);
  });

  it('killed before the undo was sent, with no patience left: a person is told that it failed', async () => {
    const { w, killed } = await play(db, FAILS, 'act:undo-started', 1);
    assert.deepEqual([killed, w.state, w.incident, w.writes], [true, 'RollbackFailed', 'Escalated', 1]);
  });
});

function gone(): StoreUnavailable {
  return new StoreUnavailable('the process was killed', { outcome: 'none' });
}

/** Dead is dead: a killed process reads and writes nothing any more, whatever of it is still under way. */
function whileAlive(db: Database, dead: () => boolean): Database {
  return {
    kind: db.kind,
    query: (text, values) => (dead() ? Promise.reject(gone()) : db.query(text, values)),
    execute: (text, values) => (dead() ? Promise.reject(gone()) : db.execute(text, values)),
    transaction: (work, options) => (dead() ? Promise.reject(gone()) : db.transaction(work, options)),
    listen: (channel, onNotify) => db.listen(channel, onNotify),
    close: () => Promise.resolve(),
  };
}

async function play(
  db: TestDatabase,
  story: Story,
  point: LineFaultPoint,
  nth: number,
  settings: Partial<World['deps']['settings']> = {},
) {
  const cluster = new FakeCluster();
  if (!story.healthy)
    cluster.react = (object) => {
      cluster.settle(object);
      (object.status as Record<string, unknown>).readyReplicas = 0;
    };
  await db.execute('UPDATE workloads SET cooldown_until = NULL, quarantined_until = NULL');
  await db.execute('DELETE FROM budget_entries');
  await db.execute('DELETE FROM switches');
  const policy = testPolicy({ verification: { times: ['1ms', '2ms', '3ms'] } });
  const first = await makeWorld(db, { mode: story.mode, cluster, policy, settings });
  const { actionId, incidentId } = await first.propose(PATCH);
  let hits = 0;
  let killed = false;
  const dead = () => killed;
  const mortalDb = whileAlive(db, dead);
  const mortal: World['deps'] = {
    ...first.deps,
    db: mortalDb,
    leases: createLeases(mortalDb),
    faults: {
      hit(reached) {
        if (reached === point && ++hits === nth) killed = true;
        return killed ? Promise.reject(gone()) : Promise.resolve();
      },
    },
  };
  await live({ ...first, db: mortalDb, deps: mortal }, mortal, actionId).catch((error: unknown) => {
    if (!killed) throw error;
  });
  // A dead process releases nothing; its lease runs out.
  await db.execute(
    `UPDATE leases SET released_at = NULL, expires_at = app_now() - interval '1 second' WHERE subject_key = $1`,
    [actionId],
  );
  const second = await makeWorld(db, { mode: story.mode, cluster, policy, settings });
  await live(second, second.deps, actionId);
  const [open] = await db.query<{ n: number }>(
    `SELECT (SELECT count(*) FROM action_attempts WHERE action_id = $1 AND outcome = 'started')::int
       + (SELECT count(*) FROM proposals WHERE action_id = $1 AND state = 'Open')::int AS n`,
    [actionId],
  );
  return {
    killed,
    w: {
      state: (await second.action(actionId)).state,
      incident: (await second.incident(incidentId)).state,
      writes: cluster.real.length,
      unhealed: open?.n ?? 0,
      complaints: [...first.deps.complaints, ...second.deps.complaints],
    },
  };
}

/** One process at work: its stages in turn, and the person who approves through it. */
async function live(w: World, deps: World['deps'], actionId: string): Promise<void> {
  const stages = [createAdmitStage(deps), createActStage(deps), createVerifyStage(deps)];
  for (let round = 0; round < 6; round += 1) {
    await drain(...stages);
    const [open] = await w.db.query<{ id: string; digest: string }>(
      `SELECT id, digest FROM proposals WHERE action_id = $1 AND state = 'Open'`,
      [actionId],
    );
    if (open !== undefined)
      await decideProposal(deps, {
        proposalId: open.id,
        decision: 'approve',
        digest: open.digest,
        actor: 'person:ada',
        source: 'api',
      });
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
}
