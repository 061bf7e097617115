import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Database, StoreRejected, StoreUnavailable } from '@hephaisto/core/ports/database';
import { alert, webhookBody } from '@hephaisto/test/alerts';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { intakeLine } from '@hephaisto/test/intake-line';
import { addLocalCluster, quietDeps } from '@hephaisto/test/stage-deps';

const crash = (namespace: string) => ({
  labels: { alertname: 'KubePodCrashLooping', namespace, deployment: 'checkout', severity: 'warning' },
});

async function incidentsOf(db: Database, namespace: string) {
  return await db.query('SELECT id FROM incidents WHERE namespace = $1', [namespace]);
}

async function signalsOf(db: Database, namespace: string) {
  return await db.query<{ disposition: string; why: string | null }>(
    'SELECT disposition, disposition_reason AS why FROM signals WHERE namespace = $1',
    [namespace],
  );
}

/** Everything works but the opening of an incident in one namespace. */
function failingWhenOpened(db: Database, namespace: string, error: Error) {
  const deps = quietDeps(db);
  const open: typeof deps.incidents.open = (tx, opening) =>
    opening.namespace === namespace ? Promise.reject(error) : deps.incidents.open(tx, opening);
  return { ...deps, incidents: { ...deps.incidents, open } };
}

describe('one signal that cannot be settled', () => {
  let db: TestDatabase;
  before(async () => {
    db = await createTestDatabase();
    await addLocalCluster(db);
  });
  after(() => db.close());

  it('names longer than any object has cost nobody anything', async () => {
    const line = intakeLine(quietDeps(db));
    const long = randomBytes(1_500).toString('hex');
    const labels = { alertname: 'KubePodCrashLooping', namespace: 'long-names' };
    await line.settle(
      webhookBody([
        alert({ labels: { ...labels, deployment: long } }),
        ...['statefulset', 'pod', 'node', 'cluster', 'job', 'service', 'severity'].map((label) =>
          alert({ labels: { ...labels, [label]: long } }),
        ),
        alert({ labels: { ...labels, namespace: long, deployment: '\u0001'.repeat(250) } }),
        alert({ labels: { ...labels, alertname: long } }),
        { ...alert({ labels: { ...labels, deployment: 'keyed' } }), fingerprint: long },
        { ...alert({ labels: { ...labels, deployment: 'keyed' } }), fingerprint: `${long}x` },
      ]),
    );
    await line.settle(webhookBody([alert(crash('after-long-names'))]));
    assert.equal((await incidentsOf(db, 'after-long-names')).length, 1);
    assert.deepEqual(await db.query(`SELECT 1 FROM signals WHERE disposition IN ('pending', 'poison')`), []);
    assert.deepEqual(
      await db.query(`SELECT 1 FROM signals WHERE length(owner_name) > 253 OR length(namespace) > 253`),
      [],
    );
    assert.equal(
      (await db.query(`SELECT 1 FROM signals WHERE owner_name = 'keyed' AND external_key LIKE 'sha256:%'`)).length,
      2,
    );
    const [intake] = await db.query<{ warnings: string[] }>(
      `SELECT outcome #> '{warnings,0,warnings}' AS warnings FROM intake WHERE alerts = 12`,
    );
    assert.match(
      intake?.warnings.join() ?? '',
      /^labels.deployment: expected .*found 3000(;| characters).*not taken for a name/,
    );
  });

  it('a year of five digits costs its alert a warning and the others of the body nothing', async () => {
    const line = intakeLine(quietDeps(db));
    const far = '+010000-01-01T00:00:00Z';
    await line.settle(
      webhookBody([alert({ ...crash('far-year'), startsAt: far, endsAt: far }), alert(crash('near-year'))]),
    );
    assert.deepEqual([(await signalsOf(db, 'far-year')).length, (await signalsOf(db, 'near-year')).length], [1, 1]);
  });

  for (const sqlstate of ['54000', '22021', '23514']) {
    it(`a signal that the database refuses with ${sqlstate} is set aside with why, and the others go on`, async () => {
      const namespace = `poison-${sqlstate}`;
      const deps = failingWhenOpened(db, namespace, new StoreRejected('no such row, ever', { sqlstate }));
      const line = intakeLine(deps);
      await line.settle(webhookBody([alert(crash(namespace)), alert(crash(`${namespace}-next`))]));
      const [bad] = await signalsOf(db, namespace);
      assert.deepEqual([bad?.disposition, bad?.why], ['poison', 'refused-by-database: no such row, ever']);
      assert.equal((await incidentsOf(db, `${namespace}-next`)).length, 1);
    });
  }

  const KEPT: Readonly<Record<string, Error>> = {
    'a database that is away': new StoreUnavailable('away', { outcome: 'none' }),
    'a missing privilege': new StoreRejected('permission denied', { sqlstate: '42501' }),
    'a bug of ours': new TypeError('x is undefined'),
  };
  for (const [name, error] of Object.entries(KEPT)) {
    it(`${name} sets nothing aside; the stage fails and tries again`, async () => {
      const namespace = `kept-${error.name}-${name.length}`.toLowerCase();
      const line = intakeLine(failingWhenOpened(db, namespace, error));
      await line.post(webhookBody([alert(crash(namespace))]));
      await line.ingest.pass(new AbortController().signal);
      await assert.rejects(line.dedupe.pass(new AbortController().signal), error);
      assert.equal((await signalsOf(db, namespace))[0]?.disposition, 'pending');
      await intakeLine(quietDeps(db)).settle();
      assert.equal((await incidentsOf(db, namespace)).length, 1);
    });
  }
});
