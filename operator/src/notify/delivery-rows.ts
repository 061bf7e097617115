import type { NotifyFacts } from '@hephaisto/core/delivery/controls';
import type { IncidentState } from '@hephaisto/core/incident/machine';
import type { Database, Sql } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';

export interface DeliveryRow {
  readonly id: string;
  readonly incident_id: string | null;
  readonly route: string;
  readonly channel: string;
  readonly recipient: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly payload_version: number;
  readonly attempts: number;
  readonly idempotency_key: string;
  readonly age_ms: number;
}

/** What a message is about, as the notifier counts: the workload, or the incident itself where there is none. */
export interface NotifySubject {
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

export function subjectOf(payload: Readonly<Record<string, unknown>>): NotifySubject {
  const incident = (payload.incident ?? {}) as Readonly<Record<string, unknown>>;
  const owned = typeof incident.ownerKind === 'string' && typeof incident.ownerName === 'string';
  return {
    cluster: String(incident.cluster),
    namespace: typeof incident.namespace === 'string' ? incident.namespace : '',
    kind: owned ? String(incident.ownerKind) : 'Incident',
    name: owned ? String(incident.ownerName) : String(incident.id),
  };
}

export function enteredState(payload: Readonly<Record<string, unknown>>): IncidentState {
  return ((payload.event ?? {}) as { readonly to: IncidentState }).to;
}

/** Messages whose sender died while sending: nobody knows whether they arrived. */
export async function reapSending({
  db,
  faults,
}: {
  readonly db: Database;
  readonly faults: FaultPoints;
}): Promise<void> {
  await db.execute(
    `UPDATE notification_deliveries SET status = 'Unknown', error_kind = 'sender-died', lease_run_id = NULL, next_attempt_at = app_now()
     WHERE status = 'Sending' AND next_attempt_at <= app_now()`,
  );
  await faults.hit('notify:reaped');
}

/** The oldest due message of a receiver that is not blocked, held until the transaction ends. */
export async function lockNextDue(tx: Sql, blocked: readonly string[]): Promise<DeliveryRow | undefined> {
  const [row] = await tx.query<DeliveryRow>(
    `SELECT id, incident_id, route, channel, recipient, payload, payload_version, attempts, idempotency_key,
       (extract(epoch FROM app_now() - created_at) * 1000)::float8 AS age_ms
     FROM notification_deliveries
     WHERE (status = 'Pending' OR (status = 'Unknown' AND on_unknown = 'resend')) AND next_attempt_at <= app_now()
       AND channel || '/' || recipient <> ALL ($1::text[])
     ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED`,
    [blocked],
  );
  return row;
}

/** Holds the subject's row, so that two messages about one workload are judged one after the other. */
export async function lockSubject(
  tx: Sql,
  subject: NotifySubject,
): Promise<{ readonly count: number; readonly since: Date | null; readonly last: Date | null }> {
  const key = [subject.cluster, subject.namespace, subject.kind, subject.name];
  await tx.execute(
    'INSERT INTO workloads (cluster, namespace, kind, name) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    key,
  );
  const rows = await tx.query<{ count: number; since: Date | null; last: Date | null }>(
    `SELECT notify_suppressed_count AS count, notify_suppressed_since AS since, notify_last_sent_at AS last FROM workloads
     WHERE cluster = $1 AND namespace = $2 AND kind = $3 AND name = $4 FOR NO KEY UPDATE`,
    key,
  );
  return rows[0] ?? { count: 0, since: null, last: null };
}

/** The arithmetic's input for one message. A message under way counts as sent. */
export async function gatherNotifyFacts(
  tx: Sql,
  row: DeliveryRow,
  subject: NotifySubject,
  state: { readonly last: Date | null },
  windowMs: number,
): Promise<NotifyFacts> {
  const to = enteredState(row.payload);
  const [facts] = await tx.query<{ same_ms: number | null; of_incident: number; in_window: number; under_way: number }>(
    `SELECT
       (SELECT (extract(epoch FROM app_now() - max(coalesce(d.delivered_at, d.created_at))) * 1000)::float8
        FROM notification_deliveries d
        WHERE d.route = $1 AND d.id <> $2 AND d.status IN ('Delivered', 'Sending', 'Unknown') AND d.payload->'event'->>'to' = $3
          AND d.payload->'incident'->>'cluster' = $4 AND coalesce(d.payload->'incident'->>'namespace', '') = $5
          AND coalesce(d.payload->'incident'->>'ownerKind', 'Incident') = $6
          AND coalesce(d.payload->'incident'->>'ownerName', d.payload->'incident'->>'id') = $7) AS same_ms,
       (SELECT count(*)::integer FROM notification_deliveries d WHERE d.incident_id = $8::uuid AND d.route = $1 AND d.id <> $2
          AND d.status IN ('Delivered', 'Sending', 'Unknown') AND d.payload->'event'->>'to' = $3) AS of_incident,
       (SELECT count(*)::integer FROM notification_deliveries d WHERE d.channel = $9 AND d.recipient = $10
          AND (d.status = 'Sending' OR d.delivered_at >= app_now() - $11::float8 * interval '1 millisecond')) AS in_window,
       (SELECT count(*)::integer FROM notification_deliveries d
        WHERE d.id <> $2 AND d.status IN ('Sending', 'Unknown') AND d.payload->'incident'->>'cluster' = $4
          AND coalesce(d.payload->'incident'->>'namespace', '') = $5 AND coalesce(d.payload->'incident'->>'ownerKind', 'Incident') = $6
          AND coalesce(d.payload->'incident'->>'ownerName', d.payload->'incident'->>'id') = $7) AS under_way`,
    [
      row.route,
      row.id,
      to,
      subject.cluster,
      subject.namespace,
      subject.kind,
      subject.name,
      row.incident_id,
      row.channel,
      row.recipient,
      windowMs,
    ],
  );
  return {
    to,
    firstForWorkload: state.last === null && (facts?.under_way ?? 0) === 0,
    firstForIncidentState: (facts?.of_incident ?? 0) === 0,
    sinceSameMs: facts?.same_ms ?? undefined,
    sentInWindow: facts?.in_window ?? 0,
  };
}

/** Ends a message for good: nobody will try it again. It stays in the table as a dead letter. */
export async function failUnsent(tx: Sql, id: string, errorKind: string): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE notification_deliveries SET status = 'Failed', error_kind = $2, next_attempt_at = NULL, lease_run_id = NULL
     WHERE id = $1 AND status IN ('Pending', 'Unknown')`,
    [id, errorKind],
  );
  return changed === 1;
}

/** A message that cannot even be judged waits for a later version of this program, and is given up after so many tries. True when it is given up. */
export async function postponeUnreadable(
  tx: Sql,
  id: string,
  times: { readonly againInMs: number; readonly tries: number },
): Promise<boolean> {
  const [row] = await tx.query<{ status: string }>(
    `UPDATE notification_deliveries SET attempts = attempts + 1, error_kind = 'unreadable',
       status = CASE WHEN attempts + 1 >= $3 THEN 'Failed' ELSE status END,
       next_attempt_at = CASE WHEN attempts + 1 >= $3 THEN NULL ELSE app_now() + $2::float8 * interval '1 millisecond' END
     WHERE id = $1 AND status IN ('Pending', 'Unknown') RETURNING status`,
    [id, times.againInMs, times.tries],
  );
  return row?.status === 'Failed';
}

export async function suppress(tx: Sql, row: DeliveryRow, subject: NotifySubject, reason: string): Promise<void> {
  await tx.execute(
    `UPDATE notification_deliveries SET status = 'Suppressed', suppressed_reason = $2, next_attempt_at = NULL WHERE id = $1`,
    [row.id, reason],
  );
  await tx.execute(
    `UPDATE workloads SET notify_suppressed_count = notify_suppressed_count + 1,
       notify_suppressed_since = coalesce(notify_suppressed_since, app_now())
     WHERE cluster = $1 AND namespace = $2 AND kind = $3 AND name = $4`,
    [subject.cluster, subject.namespace, subject.kind, subject.name],
  );
}

/** The row is ours until `holdMs` have passed; then somebody else may find that nobody knows what became of it. */
export async function claimForSending(tx: Sql, id: string, runId: string, holdMs: number): Promise<void> {
  await tx.execute(
    `UPDATE notification_deliveries SET status = 'Sending', attempts = attempts + 1, lease_run_id = $2,
       next_attempt_at = app_now() + $3::float8 * interval '1 millisecond' WHERE id = $1`,
    [id, runId, holdMs],
  );
}

/** Writes what came of a send, unless the row is no longer ours. */
export async function settleSending(
  tx: Sql,
  id: string,
  runId: string,
  outcome: {
    readonly status: 'Delivered' | 'Pending' | 'Failed' | 'Unknown';
    readonly errorKind: string | undefined;
    readonly externalRef: Readonly<Record<string, unknown>> | undefined;
    readonly againInMs: number | undefined;
    readonly stated: number;
  },
): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE notification_deliveries SET status = $3, error_kind = $4, external_ref = coalesce($5::jsonb, external_ref),
       next_attempt_at = app_now() + $6::float8 * interval '1 millisecond', lease_run_id = NULL,
       delivered_at = CASE WHEN $3 = 'Delivered' THEN app_now() END, stated_suppressed = $7
     WHERE id = $1 AND status = 'Sending' AND lease_run_id = $2`,
    [
      id,
      runId,
      outcome.status,
      outcome.errorKind ?? null,
      outcome.externalRef === undefined ? null : JSON.stringify(outcome.externalRef),
      outcome.againInMs ?? null,
      outcome.stated,
    ],
  );
  return changed === 1;
}

export async function markSent(tx: Sql, subject: NotifySubject, stated: number): Promise<void> {
  await tx.execute(
    `UPDATE workloads SET notify_last_sent_at = app_now(), notify_suppressed_count = greatest(0, notify_suppressed_count - $5),
       notify_suppressed_since = CASE WHEN notify_suppressed_count > $5 THEN app_now() END
     WHERE cluster = $1 AND namespace = $2 AND kind = $3 AND name = $4`,
    [subject.cluster, subject.namespace, subject.kind, subject.name, stated],
  );
}
