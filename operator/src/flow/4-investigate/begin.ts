import type { Sql } from '@hephaisto/core/ports/database';
import type { IncidentLog } from '@hephaisto/core/ports/incident-log';
import type { InvestigationRun, InvestigatorSeat } from '@hephaisto/core/ports/investigator';
import type { Lease } from '@hephaisto/core/ports/leases';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import type { JournalOwner } from '../../investigate/step-rows.ts';
import { UNREADABLE } from '../attempt-log/attempts.ts';
import { nudge } from '../stage.ts';
import { endTurn, requeueTurn, startTurn } from '../turn-log/turn-rows.ts';
import { insertQueued, type QueueBudget } from './queue.ts';

export type Begun =
  | {
      readonly kind: 'begun';
      readonly owner: JournalOwner;
      readonly executor: 'Rules' | 'InProcess';
      readonly turnId: string | null;
      readonly turn: InvestigationRun['turn'];
    }
  /** Its owner died: a new row has taken its place, or the incident is in a person's hands. */
  | { readonly kind: 'requeued' | 'faulted' | 'stopped' | 'gone' };

/** How often an incident's investigation is taken up again by itself. */
export const MOST_REQUEUES = 2;

interface Row {
  readonly id: string;
  readonly incident_id: string;
  readonly cluster: string;
  readonly attempt: number;
  readonly executor: 'Rules' | 'InProcess';
  readonly turn_id: string | null;
  readonly state: string;
  readonly incident_state: string;
}

/**
 * Under a fresh lease, moves a waiting investigation to Running. One that is Running already had an owner who died: it ends Faulted, and
 * another attempt takes over what it had read.
 */
export async function beginInvestigation(
  tx: Sql,
  deps: { readonly incidents: IncidentLog; readonly newId: () => string },
  lease: Lease,
  budget: QueueBudget,
  seat: InvestigatorSeat | undefined,
  isUnreadable: boolean,
): Promise<Begun> {
  const [row] = await tx.query<Row>(
    `SELECT n.id, n.incident_id, n.cluster, n.attempt, n.executor, n.turn_id, n.state, i.state AS incident_state
       FROM incidents i JOIN investigations n ON n.incident_id = i.id
      WHERE n.id = $1 AND n.state IN ('Queued', 'Running') FOR UPDATE`,
    [lease.key],
  );
  if (row === undefined) return { kind: 'gone' };
  if (row.incident_state !== 'Investigating') {
    await endInvestigation(tx, row.id, 'Stopped', `incident ${row.incident_state}`);
    return { kind: 'stopped' };
  }
  if (row.state === 'Running') return requeue(tx, deps, row, isUnreadable ? UNREADABLE : 'owner-lost', budget);
  await tx.execute(
    `UPDATE investigations SET state = 'Running', started_at = app_now(), deadline_at = app_now() + $2 * interval '1 millisecond' WHERE id = $1`,
    [row.id, budget.deadlineMs],
  );
  const { turn_id: turnId } = row;
  // A turn whose model has been taken out of the configuration goes on by rules.
  const turn =
    turnId === null || seat === undefined
      ? undefined
      : { id: turnId, ...(await startTurn(tx, turnId, seat, lease, budget.deadlineMs)) };
  return {
    kind: 'begun',
    executor: row.executor,
    turnId,
    turn,
    owner: {
      investigationId: row.id,
      incidentId: row.incident_id,
      cluster: row.cluster,
      attempt: row.attempt,
      epoch: lease.epoch,
    },
  };
}

export async function endInvestigation(
  tx: Sql,
  id: string,
  state: 'Faulted' | 'Stopped',
  reason: string,
): Promise<void> {
  const [ended] = await tx.query<{ turn_id: string | null }>(
    `UPDATE investigations SET state = $2, end_reason = $3, ended_at = app_now() WHERE id = $1 AND state IN ('Queued', 'Running')
     RETURNING turn_id`,
    [id, state, reason],
  );
  const turnId = ended?.turn_id ?? undefined;
  if (turnId !== undefined) await endTurn(tx, turnId, { status: state === 'Stopped' ? 'STOPPED' : 'FAILED', reason });
}

/** Ends an attempt that cannot go on and starts the next, or gives the incident to a person when it has been tried often enough. */
export async function requeue(
  tx: Sql,
  deps: { readonly incidents: IncidentLog; readonly newId: () => string },
  row: Pick<Row, 'id' | 'incident_id' | 'cluster' | 'attempt' | 'executor' | 'turn_id'>,
  reason: 'owner-lost' | 'investigator-failed' | typeof UNREADABLE,
  budget: QueueBudget,
): Promise<Begun> {
  const before = await requeuesInARow(tx, row.incident_id);
  const again = before < MOST_REQUEUES && reason !== UNREADABLE;
  if (again) await faultedButWanted(tx, row.id, row.turn_id, reason);
  else await endInvestigation(tx, row.id, 'Faulted', reason);
  const moved = await deps.incidents.transition(tx, {
    incidentId: row.incident_id,
    edge: again ? 'I9' : 'I6',
    reason: again || reason === UNREADABLE ? reason : 'requeued-too-often',
    actor: SERVICE_PRINCIPALS.investigator,
    origin: 'core',
    data: { investigation: row.id, attempt: row.attempt, requeues: before },
    ...(again ? {} : { escalationReason: 'Faulted' }),
  });
  if (moved.kind === 'refused') return { kind: 'stopped' };
  if (!again) return { kind: 'faulted' };
  const { incident_id: incidentId, cluster, executor } = row;
  await insertQueued(
    tx,
    {
      id: deps.newId(),
      incidentId,
      cluster,
      attempt: row.attempt + 1,
      cause: 'requeue',
      executor,
      turnId: row.turn_id ?? undefined,
    },
    budget,
  );
  await nudge(tx, 'investigate');
  return { kind: 'requeued' };
}

/** The attempt ends, its turn waits: whoever takes it up goes on where the journal stands. */
async function faultedButWanted(tx: Sql, id: string, turnId: string | null, reason: string): Promise<void> {
  await tx.execute(
    `UPDATE investigations SET state = 'Faulted', end_reason = $2, ended_at = app_now() WHERE id = $1 AND state IN ('Queued', 'Running')`,
    [id, reason],
  );
  if (turnId !== null) await requeueTurn(tx, turnId);
}

/** Requeues since the last look that somebody or a signal asked for. */
async function requeuesInARow(tx: Sql, incidentId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM investigations n
      WHERE n.incident_id = $1 AND n.cause = 'requeue' AND n.attempt > (SELECT max(attempt) FROM investigations
        WHERE incident_id = $1 AND cause <> 'requeue')`,
    [incidentId],
  );
  return row?.count ?? 0;
}
