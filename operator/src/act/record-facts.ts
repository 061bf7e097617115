import type { BudgetUsage } from '@hephaisto/core/action/budget';
import { type Cause, CERTAINTIES, type Certainty } from '@hephaisto/core/finding/finding';
import type { Sql } from '@hephaisto/core/ports/database';
import type { PolicyInput } from '@hephaisto/policy/input';
import type { ActionRow } from './action-row.ts';
import { readBudgets } from './budgets.ts';

/** What our own rows say about an action, at one moment of the database's clock. */
export interface RecordFacts {
  readonly now: Date;
  readonly incident: PolicyInput['incident'];
  readonly finding: PolicyInput['finding'];
  readonly quarantine: { readonly until: Date; readonly reason: string } | undefined;
  readonly cooldownUntil: Date | undefined;
  readonly budgets: readonly BudgetUsage[];
}

interface Row {
  readonly now: Date;
  readonly is_local: boolean | null;
  readonly is_self: boolean;
  readonly is_meta: boolean;
  readonly caused_by: string | null;
  readonly quarantined_until: Date | null;
  readonly quarantine_reason: string | null;
  readonly cooldown_until: Date | null;
  readonly cooldown_action_id: string | null;
}

export async function gatherRecordFacts(sql: Sql, action: ActionRow): Promise<RecordFacts> {
  const [row] = await sql.query<Row>(
    `SELECT app_now() AS now, c.is_local, i.is_self, i.is_meta, i.caused_by, w.quarantined_until, w.quarantine_reason, w.cooldown_until,
       w.cooldown_action_id
     FROM actions a JOIN incidents i ON i.id = a.incident_id LEFT JOIN clusters c ON c.id = i.cluster
     LEFT JOIN workloads w ON (w.cluster, w.namespace, w.kind, w.name) = (a.cluster, a.workload_namespace, a.workload_kind, a.workload_name)
     WHERE a.id = $1`,
    [action.id],
  );
  if (row === undefined)
    throw new Error(`expected the action \`${action.id}\`, found none; this is a bug in hephaisto`);
  const own = row.cooldown_action_id === action.id;
  return {
    now: row.now,
    incident: {
      clusterKnown: row.is_local === true,
      isSelf: row.is_self || row.is_meta,
      causedByOther: row.caused_by !== null,
    },
    finding: await findingOf(sql, action.id),
    quarantine:
      row.quarantined_until === null
        ? undefined
        : { until: row.quarantined_until, reason: row.quarantine_reason ?? '' },
    // An action’s own cooldown does not stand in the way of its next revision.
    cooldownUntil: own ? undefined : (row.cooldown_until ?? undefined),
    budgets: await readBudgets(sql, action.request?.workload.namespace ?? '', action.id),
  };
}

/** The weakest of the cited findings speaks for the plan; one that is not grounded makes it ungrounded. */
async function findingOf(sql: Sql, actionId: string): Promise<PolicyInput['finding']> {
  const rows = await sql.query<{ certainty: Certainty; status: string; cause: Partial<Cause> }>(
    `SELECT f.certainty, f.status, f.cause FROM actions a JOIN plans p ON p.id = a.plan_id
     JOIN findings f ON f.id = ANY (p.cited_findings) WHERE a.id = $1 ORDER BY f.is_primary DESC, f.ordinal`,
    [actionId],
  );
  if (rows.length === 0) return undefined;
  const weakest = Math.max(...rows.map(({ certainty }) => CERTAINTIES.indexOf(certainty)));
  const blamed = rows
    .map(({ cause }) => (cause.kind === 'rollout-change' ? cause.revision : undefined))
    .find((revision) => revision !== undefined);
  return {
    certainty: CERTAINTIES[weakest] ?? 'not_established',
    grounded: rows.every(({ status }) => status === 'grounded'),
    ...(blamed === undefined ? {} : { revision: blamed }),
  };
}
