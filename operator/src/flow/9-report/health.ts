import { TERMINAL_INCIDENT_STATES } from '@hephaisto/core/incident/machine';
import type { Sql } from '@hephaisto/core/ports/database';
import type { Health } from '@hephaisto/core/report/installation';
import { UNREADABLE } from '../attempt-log/attempts.ts';
import { iso } from './rows.ts';

/** What the database knows of the installation's health. */
export type StoredHealth = Pick<
  Health,
  'now' | 'cluster' | 'queues' | 'intake' | 'budgets' | 'incidentsOpen' | 'undosRetrying' | 'unreadable'
>;

/** Rows that wait for each stage. */
const QUEUES = `
  SELECT 'ingest' AS stage, count(*)::int AS depth FROM intake WHERE status = 'Pending'
  UNION ALL SELECT 'dedupe', count(*)::int FROM signals WHERE disposition = 'pending'
  UNION ALL SELECT 'incident', count(*)::int FROM incidents WHERE state IN ('Detected', 'Triaging')
  UNION ALL SELECT 'investigate', count(*)::int FROM investigations WHERE state IN ('Queued', 'Running')
  UNION ALL SELECT 'plan', count(*)::int FROM investigations n JOIN incidents i ON i.id = n.incident_id
    WHERE n.state IN ('Concluded', 'NoConclusion', 'BudgetExhausted') AND i.state = 'Investigating' AND n.ended_at >= i.state_since
      AND NOT EXISTS (SELECT 1 FROM plans p WHERE p.investigation_id = n.id)
  UNION ALL SELECT 'admit', count(*)::int FROM actions WHERE state IN ('Proposed', 'Approved')
  UNION ALL SELECT 'act', count(*)::int FROM actions WHERE state IN ('Admitted', 'DryRunOk', 'Executing', 'Unknown', 'RollingBack', 'RollbackUnknown')
  UNION ALL SELECT 'verify', count(*)::int FROM verifications WHERE ran_at IS NULL AND due_at <= app_now()
  UNION ALL SELECT 'notify', count(*)::int FROM notification_deliveries WHERE status IN ('Pending', 'Sending', 'Unknown')`;

const UNREADABLE_WORK = `
  SELECT (SELECT count(*)::int FROM intake WHERE status = 'Poison' AND outcome->>'reason' = '${UNREADABLE}'
      AND settled_at > app_now() - interval '1 day') AS bodies,
    (SELECT count(*)::int FROM investigations WHERE end_reason = '${UNREADABLE}' AND ended_at > app_now() - interval '1 day') AS investigations,
    (SELECT count(*)::int FROM plans WHERE reject_reason = '${UNREADABLE}' AND created_at > app_now() - interval '1 day') AS plans`;

export async function readStoredHealth(sql: Sql): Promise<StoredHealth> {
  const clocks = await sql.query<{ now: Date }>('SELECT app_now() AS now');
  const clusters = await sql.query<{ id: string; name: string }>(
    'SELECT id, display_name AS name FROM clusters WHERE is_local ORDER BY id LIMIT 1',
  );
  const queues = await sql.query<{ stage: string; depth: number }>(QUEUES);
  const intake = await sql.query<{ last: Date | null; pending: number; poison: number }>(
    `SELECT max(received_at) AS last, (count(*) FILTER (WHERE status = 'Pending'))::int AS pending,
       (count(*) FILTER (WHERE status = 'Poison'))::int AS poison FROM intake`,
  );
  const budgets = await sql.query<{
    name: string;
    unit: string;
    limit_value: string;
    window_seconds: number;
    used: string;
  }>(
    `SELECT b.name, b.unit, b.limit_value::text, b.window_seconds,
       coalesce((SELECT sum(e.amount) FROM budget_entries e WHERE e.budget = b.name
         AND e.at > app_now() - make_interval(secs => b.window_seconds)), 0)::text AS used FROM budgets b ORDER BY b.name`,
  );
  const retrying = await sql.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM actions WHERE state IN ('VerificationFailed', 'RollingBack') AND post_state ? 'undoRetry'`,
  );
  const unreadable = await sql.query<StoredHealth['unreadable']>(UNREADABLE_WORK);
  const open = await sql.query<{ severity: string; n: number }>(
    'SELECT severity, count(*)::int AS n FROM incidents WHERE NOT (state = ANY($1::text[])) GROUP BY severity',
    [TERMINAL_INCIDENT_STATES],
  );
  return {
    now: iso(clocks[0]?.now ?? null) ?? '',
    cluster: clusters[0] ?? null,
    queues: Object.fromEntries(queues.map((row) => [row.stage, row.depth])),
    intake: {
      lastReceivedAt: iso(intake[0]?.last ?? null),
      pending: intake[0]?.pending ?? 0,
      poison: intake[0]?.poison ?? 0,
    },
    budgets: budgets.map((row) => ({
      name: row.name,
      unit: row.unit,
      used: Number(row.used),
      limit: Number(row.limit_value),
      windowSeconds: row.window_seconds,
    })),
    unreadable: unreadable[0] ?? { bodies: 0, investigations: 0, plans: 0 },
    undosRetrying: retrying[0]?.n ?? 0,
    incidentsOpen: Object.fromEntries(open.map((row) => [row.severity, row.n])),
  };
}
