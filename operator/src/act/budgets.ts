import type { BudgetUsage } from '@hephaisto/core/action/budget';
import type { Database, Sql } from '@hephaisto/core/ports/database';
import type { PolicyFile } from '@hephaisto/policy/policy-file';

export const HOUR_BUDGET = 'actions_hour';
export const DAY_BUDGET = 'actions_day';
export const NAMESPACE_BUDGET = 'actions_namespace_hour';
const INSTALLATION = 'installation';

/** Writes the policy's limits where the transaction that counts can lock them. */
export async function syncBudgets(db: Database, { budgets }: PolicyFile): Promise<void> {
  const rows = [
    [DAY_BUDGET, 86_400, budgets.perDay],
    [HOUR_BUDGET, 3_600, budgets.perHour],
    [NAMESPACE_BUDGET, 3_600, budgets.perNamespaceHour],
  ] as const;
  for (const [name, window, limit] of rows)
    await db.execute(
      `INSERT INTO budgets (name, unit, window_seconds, limit_value, on_exceed) VALUES ($1, 'count', $2, $3, 'require_approval')
       ON CONFLICT (name) DO UPDATE SET window_seconds = excluded.window_seconds, limit_value = excluded.limit_value`,
      [name, window, limit],
    );
}

interface UsageRow {
  readonly name: string;
  readonly window_seconds: number;
  readonly limit_value: string;
  readonly used: string;
}

/** Usage of every budget of actions within its sliding window, without the action's own entry. `lock` holds the limits until the transaction ends. */
export async function readBudgets(
  sql: Sql,
  namespace: string,
  actionId: string,
  lock = false,
): Promise<readonly BudgetUsage[]> {
  if (lock) await sql.query(`SELECT 1 FROM budgets WHERE name LIKE 'actions\\_%' ORDER BY name FOR UPDATE`);
  const rows = await sql.query<UsageRow>(
    `SELECT b.name, b.window_seconds, b.limit_value,
       (SELECT coalesce(sum(e.amount), 0) FROM budget_entries e WHERE e.budget = b.name AND e.ref_id <> $2
          AND e.scope_key = CASE WHEN b.name = $3 THEN $1 ELSE $4 END
          AND e.at > app_now() - b.window_seconds * interval '1 second') AS used
     FROM budgets b WHERE b.name LIKE 'actions\\_%' ORDER BY b.name`,
    [namespace, actionId, NAMESPACE_BUDGET, INSTALLATION],
  );
  return rows.map((row) => ({
    name: row.name,
    scope: row.name === NAMESPACE_BUDGET ? namespace : INSTALLATION,
    used: Number(row.used),
    limit: Number(row.limit_value),
    windowSeconds: row.window_seconds,
  }));
}

/** Books one action; a later revision of the same action is not booked again. */
export async function bookAction(tx: Sql, namespace: string, actionId: string): Promise<void> {
  await tx.execute(
    `INSERT INTO budget_entries (budget, scope_key, amount, ref_kind, ref_id)
     SELECT name, CASE WHEN name = $3 THEN $1 ELSE $4 END, 1, 'action', $2 FROM budgets WHERE name LIKE 'actions\\_%'
     ON CONFLICT DO NOTHING`,
    [namespace, actionId, NAMESPACE_BUDGET, INSTALLATION],
  );
}
