import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { alert, webhookBody } from '@hephaisto/test/alerts';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { intakeLine } from '@hephaisto/test/intake-line';
import { addLocalCluster, drain, quietDeps } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import fc from 'fast-check';

/** One occurrence of an alert at its source: which rule, on which Deployment, which start, and whether it has ended. */
interface Occurrence {
  readonly rule: 'KubePodCrashLooping' | 'KubePodNotReady' | 'QuotaNearlyUsed';
  readonly deployment: 'web' | 'till';
  readonly start: number;
  readonly ended: boolean;
}

const occurrence: fc.Arbitrary<Occurrence> = fc.record({
  rule: fc.constantFrom('KubePodCrashLooping', 'KubePodNotReady', 'QuotaNearlyUsed'),
  deployment: fc.constantFrom('web', 'till'),
  start: fc.integer({ min: 0, max: 2 }),
  ended: fc.boolean(),
});

const keyOf = (each: Occurrence): string => `${each.rule} ${each.deployment} ${each.start}`;

/** Deliveries of the occurrences: each firing at least once, ends after or before, all of it repeated and shuffled. */
const deliveries = fc.uniqueArray(occurrence, { selector: keyOf, minLength: 1, maxLength: 6 }).chain((occurrences) => {
  const messages = occurrences.flatMap((each) => [
    { each, status: 'firing' as const },
    ...(each.ended ? [{ each, status: 'resolved' as const }] : []),
  ]);
  const repeated = fc
    .array(fc.nat(messages.length - 1), { maxLength: 6 })
    .map((again) => [...messages, ...again.map((index) => messages[index] ?? messages[0])]);
  return repeated.chain((all) =>
    fc.record({
      occurrences: fc.constant(occurrences),
      order: fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
      /** After which deliveries the line runs; otherwise they pile up. */
      runs: fc.array(fc.boolean(), { minLength: all.length, maxLength: all.length }),
    }),
  );
});

describe('any order, repetition and pace of deliveries', { timeout: 120_000 }, () => {
  let db: TestDatabase;
  before(async () => {
    db = await createTestDatabase();
    await addLocalCluster(db);
  });
  after(() => db.close());

  it('comes to the same signals, one open incident for each fault that goes on, and never two for one', async () => {
    verifies('H3-2');
    let run = 0;
    await fc.assert(
      fc.asyncProperty(deliveries, async ({ occurrences, order, runs }) => {
        run += 1;
        const namespace = `run-${run}`;
        const line = intakeLine(quietDeps(db), { times: { stormLimit: 100_000, flapLimit: 100_000 } });
        for (const [index, message] of order.entries()) {
          if (message === undefined) continue;
          const { rule, deployment, start } = message.each;
          const labels = { alertname: rule, namespace, deployment };
          const startsAt = new Date(Date.UTC(2026, 10, 30, 9, start)).toISOString();
          await line.post(webhookBody([alert({ labels, startsAt, status: message.status })]));
          if (runs[index] === true) await drain(line.ingest, line.dedupe, line.triage);
        }
        await drain(line.ingest, line.dedupe, line.triage);
        await check(db, namespace, occurrences);
      }),
      { numRuns: 25 },
    );
  });
});

async function check(db: TestDatabase, namespace: string, occurrences: readonly Occurrence[]): Promise<void> {
  const signals = await db.query<{ name: string; owner: string; status: string; disposition: string; open: boolean }>(
    `SELECT s.reason AS name, s.owner_name AS owner, s.status, s.disposition,
       i.id IS NOT NULL AND i.state NOT IN ('Suppressed', 'Resolved', 'Expired') AS open
     FROM signals s LEFT JOIN incidents i ON i.id = s.incident_id WHERE s.namespace = $1`,
    [namespace],
  );
  assert.equal(signals.length, occurrences.length);
  assert.ok(signals.every((signal) => signal.disposition !== 'pending'));
  assert.equal(
    signals.filter((signal) => signal.status === 'resolved').length,
    occurrences.filter((each) => each.ended).length,
  );
  for (const signal of signals)
    if (signal.status === 'firing') assert.ok(signal.open, `${signal.name} is in no open incident`);
  const open = await db.query<{ fault: string; n: number }>(
    `SELECT coalesce(correlation_key, fingerprint) AS fault, count(*)::integer AS n FROM incidents
     WHERE namespace = $1 AND state NOT IN ('Suppressed', 'Resolved', 'Expired') GROUP BY 1`,
    [namespace],
  );
  assert.ok(open.every((row) => row.n === 1));
}
