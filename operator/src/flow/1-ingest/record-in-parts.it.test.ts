import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import { alert, webhookBody } from '@hephaisto/test/alerts';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { intakeLine } from '@hephaisto/test/intake-line';
import { addLocalCluster, drain, quietDeps } from '@hephaisto/test/stage-deps';

const ALERTS = 1_300;

function largeBody(): Uint8Array {
  return webhookBody(
    Array.from({ length: ALERTS }, (_, i) =>
      alert({ labels: { alertname: 'KubePodCrashLooping', namespace: 'many', deployment: `web-${i}` } }),
    ),
  );
}

async function written(db: TestDatabase): Promise<{ readonly signals: number; readonly occurrences: number }> {
  const [row] = await db.query<{ signals: number; occurrences: number }>(
    'SELECT count(*)::int AS signals, coalesce(sum(occurrences), 0)::int AS occurrences FROM signals',
  );
  return row ?? { signals: 0, occurrences: 0 };
}

/** Calls back after each commit of the ingest stage. */
function afterCommits(work: (commits: number) => Promise<void>): FaultPoints {
  let commits = 0;
  return {
    async hit(point) {
      if (point !== 'ingest:part-recorded') return;
      commits += 1;
      await work(commits);
    },
  };
}

test('a large body is written in several transactions, between which others get their turn', async () => {
  await using db = await createTestDatabase();
  await addLocalCluster(db);
  const seen: number[] = [];
  const faults = afterCommits(async () => void seen.push((await written(db)).signals));
  const line = intakeLine({ ...quietDeps(db), faults });
  await line.post(largeBody());
  assert.equal(await line.ingest.pass(new AbortController().signal), 1);
  assert.ok(seen.length >= 3, `expected several commits, found ${seen.length}`);
  assert.ok(seen[0] !== undefined && seen[0] > 0 && seen[0] < ALERTS);
  assert.equal(seen.at(-1), ALERTS);
});

test('a process that ends in the middle of a large body has counted nothing twice once another has gone on', async () => {
  await using db = await createTestDatabase();
  await addLocalCluster(db);
  const dies = afterCommits(async (commits) => {
    if (commits === 2) throw new Error('the process ends here');
  });
  const line = intakeLine({ ...quietDeps(db), faults: dies });
  await line.post(largeBody());
  await line.ingest.pass(new AbortController().signal).catch(() => undefined);
  const half = await written(db);
  assert.ok(half.signals > 0 && half.signals < ALERTS);
  await drain(intakeLine(quietDeps(db)).ingest);
  assert.deepEqual(await written(db), { signals: ALERTS, occurrences: ALERTS });
  const [intake] = await db.query<{ status: string; outcome: Record<string, unknown> }>(
    'SELECT status, outcome FROM intake',
  );
  assert.equal(intake?.status, 'Done');
  assert.deepEqual(
    [intake?.outcome.alerts, intake?.outcome.inserted, intake?.outcome.repeated, intake?.outcome.progress],
    [ALERTS, ALERTS, 0, undefined],
  );
});
