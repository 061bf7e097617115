import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Database, StoreRejected, StoreUnavailable } from '@hephaisto/core/ports/database';
import { NO_FAULTS } from '@hephaisto/core/ports/fault-points';
import { alert, webhookBody } from '@hephaisto/test/alerts';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { intakeLine } from '@hephaisto/test/intake-line';
import { addLocalCluster, drain, quietDeps } from '@hephaisto/test/stage-deps';
import { receiveAlertmanager } from '../../sources/receive-alertmanager.ts';
import { listSignals } from '../9-report/signals.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

describe('taking webhooks in', { timeout: 120_000 }, () => {
  let db: TestDatabase;
  before(async () => {
    db = await createTestDatabase();
    await addLocalCluster(db);
  });
  after(() => db.close());

  const REFUSED: Readonly<Record<string, { body: Uint8Array; status: number; reason: string }>> = {
    'what is not JSON': { body: text('alertname=x'), status: 400, reason: 'not-json' },
    'half a body': { body: webhookBody([]).subarray(0, 40), status: 400, reason: 'not-json' },
    'a thousand levels': { body: text(`${'['.repeat(1000)}${']'.repeat(1000)}`), status: 400, reason: 'too-deep' },
    'a million levels': { body: text('{"alerts":'.concat('['.repeat(1_000_000))), status: 400, reason: 'too-deep' },
    'a list': { body: text('[]'), status: 400, reason: 'not-an-object' },
    'a template without alerts': { body: text('{"text":"something broke"}'), status: 400, reason: 'no-alerts' },
    'twenty megabytes': { body: new Uint8Array(20 * 1024 * 1024), status: 413, reason: 'too-large' },
  };
  for (const [name, { body, status, reason }] of Object.entries(REFUSED)) {
    it(`refuses ${name} with a sentence, and stores nothing`, async () => {
      const before = await count(db);
      const answer = await intakeLine(quietDeps(db)).post(body);
      assert.ok(answer.kind === 'rejected');
      assert.deepEqual([answer.status, answer.reason], [status, reason]);
      assert.match(answer.message, /^expected .+, found .+/);
      assert.equal(await count(db), before);
    });
  }

  it('answers "later" and never "no" when it cannot store', async () => {
    const broken: Database = {
      ...db,
      query: () => Promise.reject(new StoreUnavailable('the database is away', { outcome: 'none' })),
    };
    const { log, metrics, timers } = quietDeps(db);
    const delivery = { body: webhookBody([alert({ labels: { alertname: 'X' } })]), sender: 'am', maxBytes: 1_000_000 };
    const answer = await receiveAlertmanager(
      { db: broken, timers, log, metrics, faults: NO_FAULTS, random: () => 0.99 },
      delivery,
    );
    assert.ok(answer.kind === 'unavailable');
    assert.equal(answer.retryAfterSeconds, 9);
  });

  it('keeps five thousand alerts in one body and makes one storm of them', async () => {
    await using fresh = await createTestDatabase();
    await addLocalCluster(fresh);
    const line = intakeLine(quietDeps(fresh));
    const alerts = Array.from({ length: 5_000 }, (_, i) =>
      alert({ labels: { alertname: 'KubePodCrashLooping', namespace: 'many', deployment: `web-${i}` } }),
    );
    const answer = await line.post(webhookBody(alerts));
    assert.ok(answer.kind === 'stored');
    await line.settle();
    const [row] = await fresh.query<{ signals: number; storms: number; members: number }>(
      `SELECT (SELECT count(*)::integer FROM signals) AS signals,
         (SELECT count(*)::integer FROM incidents WHERE is_meta) AS storms,
         (SELECT count(*)::integer FROM signals WHERE disposition = 'storm') AS members`,
    );
    assert.deepEqual(row, { signals: 5_000, storms: 1, members: 4_980 });
  });

  it('reads odd alerts as well as it can and says how', async () => {
    const line = intakeLine(quietDeps(db));
    const odd = {
      status: 7,
      labels: { alertname: 'Odd', namespace: 'odd', count: 3, nul: 'a\u0000b', half: '\ud800x' },
      annotations: 'none',
      startsAt: 'yesterday',
      endsAt: false,
      somethingNew: { nested: [1, 2, { deep: true }] },
    };
    await line.settle(webhookBody([odd], { newField: 1, truncatedAlerts: 12 }));
    const [signal] = await db.query<{
      status: string;
      labels: Record<string, string>;
      payload: Record<string, unknown>;
    }>(`SELECT status, labels, payload FROM signals WHERE namespace = 'odd'`);
    assert.equal(signal?.status, 'firing');
    assert.deepEqual([signal?.labels.count, signal?.labels.nul], ['3', 'ab']);
    assert.deepEqual(signal?.payload.somethingNew, odd.somethingNew);
    const [intake] = await db.query<{ truncated: number; outcome: { warnings: { warnings: string[] }[] } }>(
      'SELECT truncated, outcome FROM intake ORDER BY id DESC LIMIT 1',
    );
    assert.equal(intake?.truncated, 12);
    assert.equal(intake?.outcome.warnings[0]?.warnings.length, 5);
  });

  it('takes the secrets of an alert out before a signal is stored, and keeps its own message', async () => {
    const line = intakeLine(quietDeps(db));
    const secret = 'zK9canaryQ7w2Lx8';
    const leaking = {
      ...alert({ labels: { alertname: 'Leak', namespace: 'leak', api_key: secret, url: `https://u:${secret}@h/` } }),
      annotations: { summary: `login with password=${secret} failed`, token: secret },
      generatorURL: `http://prometheus/graph?token=${secret}`,
      message: `a message of its own, token=${secret}`,
    };
    await line.settle(webhookBody([leaking]));
    const rows = await db.query<{ payload: { message: string } }>(
      `SELECT labels, payload, reason, disposition_reason FROM signals WHERE namespace = 'leak'`,
    );
    assert.equal(rows.length, 1);
    assert.doesNotMatch(JSON.stringify(rows), /canary/i);
    assert.match(rows[0]?.payload.message ?? '', /^login with password=\[redacted:\d+\] failed$/);
    const listed = await listSignals(
      db,
      { kind: 'everything' },
      { disposition: [], source: [], namespace: ['leak'], kind: [] },
      { limit: 10 },
    );
    assert.doesNotMatch(JSON.stringify(listed), /canary/i);
  });

  it('shows no secret of a signal that an earlier version stored in clear', async () => {
    await db.execute(
      `UPDATE signals SET labels = '{"api_key":"zK9canaryQ7w2Lx8"}', payload = '{"message":"password=zK9canaryQ7w2Lx8"}' WHERE namespace = 'leak'`,
    );
    const filters = { disposition: [], source: [], namespace: ['leak'], kind: [] };
    const listed = await listSignals(db, { kind: 'everything' }, filters, { limit: 10 });
    assert.doesNotMatch(JSON.stringify(listed), /canary/i);
  });

  it('a failure of the store in the middle of a body leaves nothing of it behind, and the next try all of it, once', async () => {
    const deps = quietDeps(db);
    let fail = true;
    const shaky: Database = {
      ...db,
      query: (statement, values) => db.query(statement, values),
      execute: (statement, values) => db.execute(statement, values),
      transaction: (work, options) =>
        db.transaction(async (tx) => {
          const result = await work(tx);
          if (fail) throw new StoreUnavailable('gone before the commit', { outcome: 'none' });
          return result;
        }, options),
    };
    const line = intakeLine({ ...deps, db: shaky });
    const alerts = Array.from({ length: 10 }, (_, i) =>
      alert({ labels: { alertname: 'A', namespace: 'shaky', n: `${i}` } }),
    );
    await line.post(webhookBody(alerts));
    await assert.rejects(line.ingest.pass(new AbortController().signal), StoreUnavailable);
    assert.equal(await countSignals(db, 'shaky'), 0);
    fail = false;
    await drain(line.ingest);
    assert.equal(await countSignals(db, 'shaky'), 10);
    const [intake] = await db.query<{ status: string; attempts: number }>(
      'SELECT status, attempts FROM intake ORDER BY id DESC LIMIT 1',
    );
    assert.deepEqual(intake, { status: 'Done', attempts: 1 });
  });

  it('bodies that wait together are written together, each with what became of it, and one that is refused costs the others nothing', async () => {
    const deps = quietDeps(db);
    let transactions = 0;
    const refusing: Database = {
      ...db,
      query: (statement, values) => db.query(statement, values),
      execute: (statement, values) => db.execute(statement, values),
      transaction: (work, options) => {
        transactions += 1;
        return db.transaction(
          (tx) =>
            work({
              ...tx,
              query: (statement, values) =>
                String(values?.[0]).includes('refuse-me')
                  ? Promise.reject(new StoreRejected('no such row, ever', { sqlstate: '23514' }))
                  : tx.query(statement, values),
            }),
          options,
        );
      },
    };
    const line = intakeLine({ ...deps, db: refusing });
    const post = (names: readonly string[]) =>
      line.post(
        webhookBody(
          names.map((name) => alert({ labels: { alertname: name, namespace: 'together', deployment: name } })),
        ),
      );
    for (const names of [['a', 'b'], ['c'], ['d', 'e', 'f']]) await post(names);
    assert.equal(await line.ingest.pass(new AbortController().signal), 3);
    assert.equal(transactions, 1);
    await post(['g']);
    await post(['refuse-me']);
    await post(['a', 'h']);
    assert.equal(await line.ingest.pass(new AbortController().signal), 2);
    const rows = await db.query<{ status: string; attempts: number; inserted: number; repeated: number }>(
      `SELECT status, attempts, (outcome ->> 'inserted')::int AS inserted, (outcome ->> 'repeated')::int AS repeated
       FROM intake ORDER BY id DESC LIMIT 6`,
    );
    assert.deepEqual(
      rows.toReversed().map(({ status, attempts, inserted, repeated }) => [status, attempts, inserted, repeated]),
      [
        ['Done', 1, 2, 0],
        ['Done', 1, 1, 0],
        ['Done', 1, 3, 0],
        ['Done', 1, 1, 0],
        ['Pending', 1, null, null],
        ['Done', 1, 1, 1],
      ],
    );
    await intakeLine(deps).settle();
  });

  it('never goes past bodies that another replica is writing to one that speaks of the same', async () => {
    const deps = quietDeps(db);
    const heldElsewhere: Database = {
      ...db,
      query: (statement, values) => db.query(statement, values),
      execute: (statement, values) => db.execute(statement, values),
      transaction: (work, options) =>
        db.transaction(
          (tx) =>
            work({
              ...tx,
              query: (statement, values) =>
                statement.includes('SKIP LOCKED') ? Promise.resolve([]) : tx.query(statement, values),
            }),
          options,
        ),
    };
    const labels = { alertname: 'Shared', namespace: 'held', deployment: 'web' };
    const line = intakeLine({ ...deps, db: heldElsewhere });
    for (const status of ['firing', 'resolved'] as const)
      await line.post(webhookBody([{ ...alert({ labels, status }), startsAt: null }]));
    let claims = 0;
    const counted = intakeLine({
      ...deps,
      db: {
        ...heldElsewhere,
        transaction: (work, options) => {
          claims += 1;
          return heldElsewhere.transaction(work, options);
        },
      },
    });
    assert.equal(await counted.ingest.pass(new AbortController().signal), 0);
    assert.equal(claims, 1);
    await intakeLine(deps).settle();
    assert.deepEqual(await db.query(`SELECT status FROM signals WHERE namespace = 'held'`), [{ status: 'resolved' }]);
  });

  it('an end and a new start of one condition that wait together are two changes', async () => {
    const line = intakeLine(quietDeps(db));
    const labels = { alertname: 'Flaps', namespace: 'no-start', deployment: 'web' };
    const post = (status: 'firing' | 'resolved') =>
      line.post(webhookBody([{ ...alert({ labels, status }), startsAt: null }]));
    await post('firing');
    await line.settle();
    await post('resolved');
    await post('firing');
    await drain(line.ingest);
    const [signal] = await db.query<{ disposition: string; status: string; occurrences: number }>(
      `SELECT disposition, status, occurrences FROM signals WHERE namespace = 'no-start'`,
    );
    assert.deepEqual(signal, { disposition: 'pending', status: 'firing', occurrences: 3 });
    await line.settle();
  });

  it('puts a body aside after it has failed often enough, with why, and goes on with the next', async () => {
    const deps = quietDeps(db);
    await db.execute(
      `INSERT INTO intake (source, sender, body, body_sha256, alerts) VALUES ('alertmanager', 'test', 'not json at all', repeat('0', 64), 1)`,
    );
    const line = intakeLine(deps);
    await line.settle(webhookBody([alert({ labels: { alertname: 'After', namespace: 'poison' } })]));
    await drain(line.ingest);
    for (let i = 0; i < 3; i += 1) await line.ingest.pass(new AbortController().signal);
    const rows = await db.query<{ status: string; attempts: number; outcome: { error: string } }>(
      `SELECT status, attempts, outcome FROM intake WHERE body = 'not json at all'`,
    );
    assert.deepEqual([rows[0]?.status, rows[0]?.attempts], ['Poison', 3]);
    assert.match(rows[0]?.outcome.error ?? '', /expected a JSON body/);
    assert.equal(await countSignals(db, 'poison'), 1);
  });
});

async function count(db: Database): Promise<number> {
  const [row] = await db.query<{ n: number }>('SELECT count(*)::integer AS n FROM intake');
  return row?.n ?? -1;
}

async function countSignals(db: Database, namespace: string): Promise<number> {
  const [row] = await db.query<{ n: number }>('SELECT count(*)::integer AS n FROM signals WHERE namespace = $1', [
    namespace,
  ]);
  return row?.n ?? -1;
}
