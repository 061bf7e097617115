import type { AnyActionRequest } from '@hephaisto/core/action/types';
import type { Sql } from '@hephaisto/core/ports/database';
import type { RestartCounts, VerificationFacts } from '@hephaisto/verifier/facts';
import { measureTarget, measureWorkload } from '@hephaisto/verifier/probe/measure';
import type { ActionRow } from '../../act/action-row.ts';
import type { ActingDeps } from '../../act/deps.ts';

/** Everything one check looks at, read now. */
export async function gatherVerification(
  deps: Pick<ActingDeps, 'db' | 'reader' | 'alerts'>,
  action: ActionRow & { readonly request: AnyActionRequest },
): Promise<VerificationFacts> {
  const { request } = action;
  const [target, workload, alerts, restartsEarlier] = await Promise.all([
    measureTarget(deps.reader, request),
    measureWorkload(deps.reader, request),
    alertsOf(deps, action.incidentId),
    restartsAtLastCheck(deps.db, action.id),
  ]);
  const { ready, restarts } = action.preState ?? {};
  return {
    request,
    actionId: action.id,
    inverse: action.inverse ?? { kind: 'none', why: 'nothing was stored' },
    target,
    workload,
    alerts,
    before: ready === undefined || restarts === undefined ? undefined : { ready, restarts },
    restartsEarlier,
  };
}

/** The alerts that belong to the incident, asked where they are evaluated. */
async function alertsOf(
  deps: Pick<ActingDeps, 'db' | 'alerts'>,
  incidentId: string,
): Promise<VerificationFacts['alerts']> {
  const rows = await deps.db.query<{ labels: Record<string, string> }>(
    `SELECT labels FROM signals WHERE incident_id = $1 AND source = 'alertmanager' ORDER BY received_at LIMIT 50`,
    [incidentId],
  );
  return rows.length === 0 ? { kind: 'none-known' } : await deps.alerts.stillFiring(rows);
}

async function restartsAtLastCheck(sql: Sql, actionId: string): Promise<RestartCounts | undefined> {
  const [row] = await sql.query<{ restarts: RestartCounts | null }>(
    `SELECT p -> 'measured' -> 'restarts' AS restarts FROM verifications v, jsonb_array_elements(v.predicates) AS p
     WHERE v.action_id = $1 AND v.subject = 'action' AND v.ran_at IS NOT NULL AND p ->> 'predicate' = 'workload-health'
     ORDER BY v.attempt DESC LIMIT 1`,
    [actionId],
  );
  return row?.restarts ?? undefined;
}
