import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { alert, webhookBody } from '@hephaisto/test/alerts';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { intakeLine } from '@hephaisto/test/intake-line';
import { addLocalCluster, quietDeps } from '@hephaisto/test/stage-deps';
import { readStoredHealth } from '../9-report/health.ts';
import { createAttempts } from './attempts.ts';

const never = new AbortController().signal;

describe('work that ends the process which does it', { timeout: 120_000 }, () => {
  let db: TestDatabase;
  before(async () => {
    db = await createTestDatabase();
    await addLocalCluster(db);
  });
  after(() => db.close());

  /** A process: each start has a boot id and a process id of its own. */
  const start = (boot: string, alive: readonly string[] = []) => ({
    ...quietDeps(db),
    holder: { pod: 'pod', bootId: boot, pid: boot },
    isAlive: (pid: string) => alive.includes(pid),
  });
  const stood = async (boot: string, key: string, alive: readonly string[] = []) => {
    const attempts = createAttempts(start(boot, alive), 'body');
    const standing = (await attempts.standing([key])).get(key) ?? 'free';
    return { attempts, standing };
  };

  it('is tried alone after one death, and a body never again after two more', async () => {
    const first = await stood('a', '1');
    await first.attempts.begin(['1']);
    const second = await stood('b', '1');
    assert.equal(second.standing, 'suspect');
    await second.attempts.begin(['1']);
    const third = await stood('c', '1');
    assert.equal(third.standing, 'suspect');
    await third.attempts.begin(['1']);
    assert.equal((await stood('d', '1')).standing, 'unreadable');
  });

  it('is left to a process that lives', async () => {
    const first = await stood('a', '2');
    await first.attempts.begin(['2']);
    assert.equal((await stood('b', '2', ['a'])).standing, 'busy');
    assert.equal((await stood('a', '2')).standing, 'free');
  });

  it('is not counted when its process stops in good order, and forgets all when it is done', async () => {
    const first = await stood('a', '3');
    await first.attempts.begin(['3']);
    await first.attempts.release(['3']);
    const second = await stood('b', '3');
    assert.equal(second.standing, 'free');
    await second.attempts.begin(['3']);
    const third = await stood('c', '3');
    assert.equal(third.standing, 'suspect');
    await third.attempts.begin(['3']);
    await third.attempts.end(['3']);
    assert.equal((await stood('d', '3')).standing, 'free');
  });

  it('a body that kills two readers which had it alone is put aside as unreadable, and those behind it are read', async () => {
    const line = intakeLine(quietDeps(db));
    await line.post(webhookBody([alert({ labels: { alertname: 'Deadly', namespace: 'deadly' } })]));
    await line.post(webhookBody([alert({ labels: { alertname: 'Harmless', namespace: 'harmless' } })]));
    const ids = (await db.query<{ id: number }>('SELECT id FROM intake ORDER BY id')).map(({ id }) => String(id));
    // The first reader died with both bodies in hand, two more with the first body alone.
    await createAttempts(start('w'), 'body').begin(ids);
    for (const boot of ['x', 'y']) {
      const reader = createAttempts(start(boot), 'body');
      await reader.standing(ids);
      await reader.begin(ids.slice(0, 1));
    }

    const third = intakeLine(start('z'));
    for (let pass = 0; pass < 4; pass += 1) await third.ingest.pass(never);
    const rows = await db.query<{ status: string; outcome: { reason?: string } }>(
      'SELECT status, outcome FROM intake ORDER BY id',
    );
    assert.deepEqual(
      rows.map(({ status, outcome }) => [status, outcome.reason]),
      [
        ['Poison', 'unreadable'],
        ['Done', undefined],
      ],
    );
    assert.equal((await readStoredHealth(db)).unreadable.bodies, 1);
    assert.deepEqual(await db.query('SELECT key FROM work_attempts WHERE key = ANY($1::text[])', [ids]), []);
  });
});
