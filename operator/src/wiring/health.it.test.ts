import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Database, StoreRejected } from '@hephaisto/core/ports/database';
import { alert, webhookBody } from '@hephaisto/test/alerts';
import { type ApiUnderTest, type SignedIn, startTestApi, testConfig } from '@hephaisto/test/api';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { intakeLine } from '@hephaisto/test/intake-line';
import { addLocalCluster, quietDeps } from '@hephaisto/test/stage-deps';
import { systemTimers } from '../adapters/clock/clock.ts';
import { folderCannotWrite } from '../adapters/postgres/folder-space.ts';
import { createStageBoard, runStages, type Stage } from '../flow/stage.ts';
import { createSwitchBoard, type LocalArm } from '../switches/board.ts';
import { type HealthParts, readComponents, readReadiness } from './health.ts';

const NOTHING: LocalArm = { current: () => ({ kind: 'read', values: {} }) };

describe('health, as the API tells it', () => {
  let db: TestDatabase;
  let api: ApiUnderTest;
  let vic: SignedIn;
  const stages = createStageBoard();
  before(async () => {
    db = await createTestDatabase();
    await addLocalCluster(db);
    const parts: HealthParts = {
      config: testConfig(),
      db,
      source: undefined,
      board: createSwitchBoard({ environment: NOTHING, configMap: NOTHING }),
      stages,
      policyGiven: true,
    };
    api = await startTestApi({
      db,
      deps: { components: () => readComponents(parts), readiness: () => readReadiness(parts) },
    });
    vic = await api.signIn('vic');
  });
  after(() => api[Symbol.asyncDispose]());

  async function health(name: string) {
    const { body } = await api.call('/api/v1/health', { as: vic });
    const components = body.components as { name: string; status: string; message: string; lost: string | null }[];
    return { status: body.status, part: components.find((component) => component.name === name) };
  }

  test('nothing set aside and no stage stuck is well', async () => {
    for (const name of ['stages', 'set-aside']) {
      const { status, part } = await health(name);
      assert.deepEqual([status, part?.status, part?.lost], ['ok', 'ok', null], name);
    }
  });

  test('a stage that keeps failing makes health degraded, says what no longer goes on, and is well again when it passes', async () => {
    let broken = true;
    const failed = Promise.withResolvers<void>();
    const passed = Promise.withResolvers<void>();
    let failures = 0;
    const stage: Stage = {
      name: 'plan',
      pollMs: 5,
      async pass() {
        if (!broken) {
          // The second pass begins after the first has been told to the board.
          if (failures < 0) passed.resolve();
          failures = -1;
          return 0;
        }
        failures += 1;
        if (failures === 4) failed.resolve();
        throw new Error('relation "plans" does not exist');
      },
    };
    const timers = { ...systemTimers, after: (_ms: number, work: () => void) => systemTimers.after(1, work) };
    const running = await runStages([stage], { ...quietDeps(db), timers }, stages);
    try {
      await failed.promise;
      const { status, part } = await health('stages');
      assert.deepEqual([status, part?.status, part?.lost], ['degraded', 'degraded', 'nothing gets past plan']);
      assert.match(part?.message ?? '', /^plan failed \d+ times in a row: relation "plans" does not exist$/);
      const ready = await api.call('/readyz?verbose');
      assert.equal(ready.status, 200, 'a replica that is taken out of service for it would only hide it');
      assert.match(ready.text, /\[\+\] stages: plan failed \d+ times/);
      broken = false;
      await passed.promise;
      assert.deepEqual((await health('stages')).part?.message, 'all pass');
    } finally {
      await running.close();
    }
  });

  test('a signal that is set aside makes health degraded, and the list says why it was', async () => {
    const deps = quietDeps(db);
    const refused = new StoreRejected('no such row, ever', { sqlstate: '23514' });
    const incidents = { ...deps.incidents, open: () => Promise.reject(refused) };
    await intakeLine({ ...deps, incidents }).settle(
      webhookBody([
        alert({
          labels: {
            alertname: 'KubePodCrashLooping',
            namespace: 'shop',
            deployment: 'checkout',
            severity: 'warning',
          },
        }),
      ]),
    );
    const { status, part } = await health('set-aside');
    assert.deepEqual(
      [status, part?.status, part?.lost],
      ['degraded', 'degraded', 'what they told of is in no incident'],
    );
    const [, path = ''] = /^0 webhook bodies and 1 signals .* with GET (\S+) and/.exec(part?.message ?? '') ?? [];
    const listed = await api.call(path, { as: vic });
    assert.deepEqual(
      (listed.body.items as { dispositionReason: string }[]).map((signal) => signal.dispositionReason),
      ['refused-by-database: no such row, ever'],
    );
  });

  const seen = (parts: Partial<Database>) => ({
    db: Object.assign(Object.create(db) as Database, parts),
    source: undefined,
    stages,
  });

  test('a replica whose disk is full is not ready, though its database still answers', {
    skip: process.platform !== 'linux',
  }, async () => {
    const [database] = await readReadiness(seen({ cannotWrite: () => folderCannotWrite('/proc') }));
    assert.equal(database?.ready, false);
    assert.match(database?.message ?? '', /the disk of the data folder is full/);
  });

  test('a restart of the embedded database is reported, and the replica stays ready', async () => {
    const recentRestart = { at: new Date('2026-01-02T03:04:05Z'), reason: 'a statement took longer than 30000 ms' };
    const [database] = await readReadiness(seen({ engine: () => ({ down: undefined, restarts: 1, recentRestart }) }));
    assert.equal(database?.ready, true);
    assert.match(
      database?.message ?? '',
      /restarted at 2026-01-02T03:04:05.000Z: a statement took longer than 30000 ms/,
    );
  });
});
