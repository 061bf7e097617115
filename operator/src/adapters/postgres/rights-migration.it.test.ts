import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { findApiToken, findSession } from '../../api/auth/sessions.ts';
import { applyMigrations, MIGRATIONS_FOLDER, migrate, readMigrations } from './migrate.ts';

const RIGHTS = '20261130221500_rights';
const POLICY = 'service:hephaisto/policy';

async function databaseBefore(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'hephaisto-migrations-'));
  try {
    await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
    for (const { name } of await readMigrations(MIGRATIONS_FOLDER))
      if (name >= RIGHTS) await rm(join(folder, name), { recursive: true });
    const db = await createTestDatabase({ empty: true });
    await applyMigrations(db, folder);
    return db;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A token as an earlier version made it: the principal got the grant, and the audit kept what for. */
async function oldToken(db: TestDatabase, subject: string, role: string, namespace: string, secret: string) {
  await db.execute(
    `INSERT INTO principals (subject, kind, display_name) VALUES ($1, 'service', $1) ON CONFLICT DO NOTHING`,
    [subject],
  );
  await db.execute(
    `INSERT INTO role_grants (subject, role, namespace, granted_by) VALUES ($1, $2, $3, 'ada') ON CONFLICT DO NOTHING`,
    [subject, role, namespace],
  );
  await db.execute(
    `WITH t AS (INSERT INTO api_tokens (token_sha256, subject, name) VALUES (sha256($1::text::bytea), $2, 'old') RETURNING token_sha256)
     INSERT INTO audit_log (actor, origin, verb, subject_kind, subject_id, detail)
     SELECT 'ada', 'api', 'token.create', 'token', left(encode(token_sha256, 'hex'), 16),
       jsonb_build_object('principal', $2::text, 'role', $3::text, 'namespace', $4::text) FROM t`,
    [secret, subject, role, namespace],
  );
}

test('a token of an earlier version keeps the narrower of its own grant and its principal’s', async () => {
  await using db = await databaseBefore();
  await db.execute(
    `INSERT INTO principals (subject, kind, display_name) VALUES ('ada', 'person', 'Ada'), ('ana', 'person', 'Ana'), ('${POLICY}', 'service', 'p')
     ON CONFLICT DO NOTHING`,
  );
  await db.execute(
    `INSERT INTO role_grants (subject, role, namespace, granted_by) VALUES ('ada', 'admin', '', '${POLICY}'), ('ana', 'viewer', '', '${POLICY}')`,
  );
  await oldToken(db, 'ci', 'viewer', 'shop', 'ci-viewer');
  await oldToken(db, 'ci', 'admin', '', 'ci-admin');
  await oldToken(db, 'gone', 'admin', '', 'gone-admin');
  await oldToken(db, 'ana', 'approver', '', 'ana-approver');
  await db.execute(`UPDATE api_tokens SET revoked_at = app_now() WHERE subject = 'gone'`);
  await oldToken(db, 'stripped', 'admin', '', 'stripped-admin');
  await db.execute(`DELETE FROM role_grants WHERE subject = 'stripped'`);
  await db.execute(`INSERT INTO web_sessions (token_sha256, subject, csrf_sha256, expires_at)
    VALUES (sha256('s'), 'ana', sha256('c'), app_now() + interval '1 hour')`);
  await migrate(db);
  const grants = async (secret: string) => (await findApiToken(db, secret))?.grants;
  assert.deepEqual(await grants('ci-viewer'), [{ role: 'viewer', namespace: 'shop' }]);
  assert.deepEqual(await grants('ci-admin'), [{ role: 'admin', namespace: '' }]);
  assert.deepEqual(await grants('ana-approver'), [{ role: 'viewer', namespace: '' }]);
  assert.deepEqual(await grants('stripped-admin'), []);
  assert.deepEqual((await findSession(db, 's', 3_600_000))?.grants, [{ role: 'viewer', namespace: '' }]);
  assert.deepEqual(await db.query(`SELECT 1 FROM role_grants WHERE subject = 'gone'`), []);
  assert.deepEqual(await db.query(`SELECT person_of('ci') AS person`), [{ person: 'ada' }]);
});
