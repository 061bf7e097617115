import { parseAction } from '@hephaisto/core/action/catalogue';
import type { ActionState } from '@hephaisto/core/action/machine';
import type { PodRemoval } from '@hephaisto/core/action/rollback-workload/stuck-pods';
import type { AnyActionRequest, Inverse } from '@hephaisto/core/action/types';
import type { IncidentState } from '@hephaisto/core/incident/machine';
import type { Sql } from '@hephaisto/core/ports/database';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import { inverseOfStored, storedInverse } from './stored-inverse.ts';
import type { UndoRetry } from './undo-retry.ts';

/** An action with what its stages need of its incident and its proposal. Ages are the database's, so that no process clock is asked. */
export interface ActionRow {
  readonly id: string;
  readonly cluster: string;
  readonly incidentId: string;
  readonly incidentState: IncidentState;
  readonly type: string;
  readonly state: ActionState;
  readonly request: AnyActionRequest | undefined;
  /** Why the row is no request that we understand, where it is none. */
  readonly unsupported: string | undefined;
  readonly inverse: Inverse | undefined;
  readonly preState: PreState | undefined;
  readonly createdAt: Date;
  readonly admitted: boolean;
  readonly stateAgeMs: number;
  /** Present while a refused undo waits for its next try. */
  readonly undoRetry: UndoRetry | undefined;
}

/** How things stood before the call, and which spec was admitted. */
export interface PreState {
  readonly specSha256?: string;
  readonly ready?: number;
  readonly restarts?: Readonly<Record<string, number>>;
  /** Pods that are removed after the call, as the plan names them. */
  readonly removes?: readonly PodRemoval[];
}

interface Row {
  readonly id: string;
  readonly cluster: string;
  readonly incident_id: string;
  readonly incident_state: IncidentState;
  readonly type: string;
  readonly state: ActionState;
  readonly params: unknown;
  readonly workload_namespace: string;
  readonly workload_kind: string;
  readonly workload_name: string;
  readonly target_kind: string;
  readonly target_namespace: string;
  readonly target_name: string;
  readonly target_uid: string;
  readonly inverse: Inverse | null;
  readonly pre_state: PreState | null;
  readonly created_at: Date;
  readonly admitted: boolean;
  readonly state_age_ms: number;
  readonly undo_retries: number | null;
  readonly undo_waited_ms: number | null;
}

const SELECT = `
  SELECT a.id, a.cluster, a.incident_id, i.state AS incident_state, a.type, a.state, a.params, a.workload_namespace, a.workload_kind,
    a.workload_name, a.target_kind, a.target_namespace, a.target_name, a.target_uid, a.inverse, a.pre_state, a.created_at,
    a.admitted_at IS NOT NULL AS admitted, (extract(epoch FROM app_now() - a.state_since) * 1000)::float8 AS state_age_ms,
    (a.post_state #>> '{undoRetry,retries}')::int AS undo_retries,
    (extract(epoch FROM app_now() - (a.post_state #>> '{undoRetry,since}')::timestamptz) * 1000)::float8 AS undo_waited_ms
  FROM actions a JOIN incidents i ON i.id = a.incident_id WHERE a.id = $1`;

export async function readAction(sql: Sql, id: string): Promise<ActionRow | undefined> {
  const [row] = await sql.query<Row>(SELECT, [id]);
  return row === undefined ? undefined : actionOf(row);
}

/** The same, holding the action's row until the transaction ends. */
export async function lockAction(tx: Sql, id: string): Promise<ActionRow | undefined> {
  const [row] = await tx.query<Row>(`${SELECT} FOR UPDATE OF a`, [id]);
  return row === undefined ? undefined : actionOf(row);
}

function actionOf(row: Row): ActionRow {
  const parsed = parseAction(
    row.type,
    {
      workload: { kind: row.workload_kind, namespace: row.workload_namespace, name: row.workload_name },
      target: { kind: row.target_kind, namespace: row.target_namespace, name: row.target_name, uid: row.target_uid },
    },
    row.params,
  );
  return {
    id: row.id,
    cluster: row.cluster,
    incidentId: row.incident_id,
    incidentState: row.incident_state,
    type: row.type,
    state: row.state,
    request: parsed.kind === 'action' ? parsed.request : undefined,
    unsupported: parsed.kind === 'refused' ? parsed.message : undefined,
    inverse: row.inverse === null ? undefined : inverseOfStored(row.inverse),
    preState: row.pre_state ?? undefined,
    createdAt: row.created_at,
    admitted: row.admitted,
    stateAgeMs: Number(row.state_age_ms),
    undoRetry:
      row.undo_retries === null ? undefined : { retries: row.undo_retries, waitedMs: Number(row.undo_waited_ms ?? 0) },
  };
}

/** A state that was to be left is no longer there: somebody else was first. Rolls the transaction back. */
export class ActionMoved extends Error {
  readonly tag = 'ActionMoved';
  readonly retryable = false;
}

/** Columns that a transition may set beside the state. */
export interface ActionChange {
  readonly decision?: 'Allow' | 'RequireApproval' | 'Deny';
  readonly reasons?: readonly string[];
  readonly policyHash?: string;
  readonly mode?: string;
  readonly inverse?: Inverse;
  readonly preState?: PreState;
  readonly postState?: Readonly<Record<string, unknown>>;
  readonly admittedNow?: boolean;
  readonly executedNow?: boolean;
}

/** Moves the action along one legal edge; throws `ActionMoved` when it no longer stands where it was read. */
export async function moveAction(
  tx: Sql,
  id: string,
  from: ActionState,
  to: ActionState,
  change: ActionChange = {},
): Promise<void> {
  const moved = await tx.execute(
    `UPDATE actions SET state = $3, decision = coalesce($4, decision), decision_reasons = coalesce($5::text[], decision_reasons),
       policy_hash = coalesce($6, policy_hash), mode = coalesce($7, mode), inverse = coalesce($8::jsonb, inverse),
       pre_state = coalesce($9::jsonb, pre_state), post_state = coalesce(post_state, '{}'::jsonb) || coalesce($10::jsonb, '{}'::jsonb),
       admitted_at = CASE WHEN $11 THEN app_now() ELSE admitted_at END, executed_at = CASE WHEN $12 THEN app_now() ELSE executed_at END,
       failures = 0, failure = NULL, retry_at = NULL, dead_letter_at = NULL
     WHERE id = $1 AND state = $2`,
    [
      id,
      from,
      to,
      change.decision ?? null,
      change.reasons ?? null,
      change.policyHash ?? null,
      change.mode ?? null,
      change.inverse === undefined ? null : storedInverse(change.inverse),
      json(change.preState),
      json(change.postState),
      change.admittedNow === true,
      change.executedNow === true,
    ],
  );
  if (moved !== 1) throw new ActionMoved(`expected the action to be ${from}, found it elsewhere`);
}

function json(value: unknown): string | null {
  return value === undefined ? null : cleanJsonText(value);
}
