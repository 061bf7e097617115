import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sql } from '@hephaisto/core/ports/database';
import { createTestDatabase } from '@hephaisto/test/database';
import { insertIncident, insertInvestigation, insertProposal } from '@hephaisto/test/incident-rows';
import { verifies } from '@hephaisto/test/verifies';
import { listActions } from './actions.ts';

const MONTH = '2026-01-01T00:00:00Z';

test('every action on one workload since a day is one list, and the index of workloads answers it', async () => {
  verifies('H3-199');
  await using db = await createTestDatabase();
  const incident = await insertIncident(db);
  const { investigationId } = await insertInvestigation(db, incident, { stepText: 'panic' });
  const { actionId } = await insertProposal(db, incident, investigationId);
  const asked: { text: string; values: readonly unknown[] }[] = [];
  const watched: Sql = {
    query(text, values) {
      asked.push({ text, values: [...(values ?? [])] });
      return db.query(text, values);
    },
    execute: (text, values) => db.execute(text, values),
  };
  const list = async (workload: string, since: string) => {
    const found = await listActions(
      watched,
      { kind: 'everything' },
      { state: [], type: [], namespace: ['shop'], workload, since },
      { limit: 50, cursor: undefined },
    );
    assert.ok(found.kind !== 'refused');
    return found.page.items.map(({ id }) => id);
  };
  assert.deepEqual(await list('Deployment/web', MONTH), [actionId]);
  const [first] = asked.filter(({ text }) => text.includes('workload_name'));
  assert.ok(first !== undefined);
  assert.deepEqual(await list('Deployment/web', '2999-01-01T00:00:00Z'), []);
  assert.deepEqual(await list('Deployment/other', MONTH), []);
  await fill(db, actionId);
  const plan = await db.query<Record<string, string>>(`EXPLAIN ${first.text}`, first.values);
  assert.match(plan.map((row) => Object.values(row).join('')).join('\n'), /ix_action_workload/);
});

/** Two thousand actions on other workloads: among few rows no index is worth taking. */
async function fill(db: Sql, like: string): Promise<void> {
  await db.execute(
    `INSERT INTO workloads (cluster, namespace, kind, name)
     SELECT cluster, workload_namespace, workload_kind, 'other-' || n FROM actions, generate_series(1, 2000) AS n WHERE id = $1`,
    [like],
  );
  await db.execute(
    `INSERT INTO actions (id, cluster, plan_id, incident_id, ordinal, workload_namespace, workload_kind, workload_name, target_kind,
       target_namespace, target_name, target_uid, type, params, risk, state, idempotency_key)
     SELECT gen_random_uuid(), cluster, plan_id, incident_id, n + 1, workload_namespace, workload_kind, 'other-' || n, target_kind,
       target_namespace, 'other-' || n, target_uid, type, params, risk, 'Proposed', 'filled-' || n
     FROM actions, generate_series(1, 2000) AS n WHERE id = $1`,
    [like],
  );
  await db.execute('ANALYZE actions');
}
