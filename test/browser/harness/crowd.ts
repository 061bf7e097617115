import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { consoleExtension } from '@hephaisto/operator/api/console-files';
import { consoleFolder } from '@hephaisto/operator/demo/console-folder';
import { type PersonName, startTestApi } from '@hephaisto/test/api';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { insertIncident, TEST_CLUSTER } from '@hephaisto/test/incident-rows';
import type { Server } from './demo.ts';

export const MANY = 5_000;

/** The product's API and console over rows that a demo would take days to make; nothing between them and the page is changed. */
export interface Crowd extends Server {
  /** What the rows lie in, for checks that add theirs. */
  readonly db: TestDatabase;
  end(): Promise<void>;
}

/** Serves a database with 5,000 incidents. */
export async function startCrowd(): Promise<Crowd> {
  const folder = await consoleFolder(() => {});
  const db = await createTestDatabase();
  await insertIncident(db, { title: 'The first of many' });
  await openMany(db, MANY - 1);
  const api = await startTestApi({
    db,
    deps: { extensions: [consoleExtension(folder)] },
    config: { server: { requestsPerMinute: 100_000 } },
  });
  return {
    db,
    base: api.url,
    linkOf: async (person) => `${api.url}/sign-in?token=${await api.link(person as PersonName)}`,
    end: async () => api[Symbol.asyncDispose](),
  };
}

/** Opens them all at once and moves three quarters on, each with the events that the log asks for. */
async function openMany(db: TestDatabase, count: number): Promise<void> {
  const { ingest, triage } = SERVICE_PRINCIPALS;
  await db.execute(
    `WITH made AS (
       INSERT INTO incidents (id, cluster, fingerprint, kind, title, severity, namespace, owner_kind, owner_name, state, state_since,
         first_signal_at, last_signal_at, version)
       SELECT gen_random_uuid(), $1, encode(sha256(n::text::bytea), 'hex'), 'CrashLoopBackOff',
         'CrashLoopBackOff of Deployment service-' || n % 173 || ' in team-' || n % 23, (ARRAY['critical', 'warning', 'info'])[1 + n % 3],
         'team-' || n % 23, 'Deployment', 'service-' || n % 173, 'Detected', app_now(),
         app_now() - n * interval '97 seconds', app_now() - n * interval '13 seconds', 1
       FROM generate_series(1, $2::int) AS n RETURNING id)
     INSERT INTO incident_events (incident_id, cluster, seq, kind, edge, to_state, reason, actor, origin)
     SELECT id, $1, 1, 'transition', 'I1', 'Detected', 'new-fault', $3, 'core' FROM made`,
    [TEST_CLUSTER, count, ingest],
  );
  const moves = [
    { edge: 'I2', from: 'Detected', to: 'Triaging', which: 'true', set: '' },
    {
      edge: 'I3',
      from: 'Triaging',
      to: 'Suppressed',
      which: 'number % 4 = 1',
      set: `, suppressed_reason = 'Flapping', closed_at = app_now()`,
    },
    {
      edge: 'I4',
      from: 'Triaging',
      to: 'Escalated',
      which: 'number % 4 = 2',
      set: `, escalation_reason = 'Storm'`,
    },
  ] as const;
  for (const { edge, from, to, which, set } of moves) {
    await db.execute(
      `WITH moved AS (
         UPDATE incidents SET state = $1, state_since = app_now(), version = version + 1${set}
         WHERE state = $2 AND number > 1 AND ${which} RETURNING id, cluster, version)
       INSERT INTO incident_events (incident_id, cluster, seq, kind, edge, from_state, to_state, reason, actor, origin)
       SELECT id, cluster, version, 'transition', $3, $2, $1, 'prepared', $4, 'core' FROM moved`,
      [to, from, edge, triage],
    );
  }
}
