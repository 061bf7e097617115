import { correlationKeyOf } from '@hephaisto/core/dedupe/family';
import type { Clock, Ids, Timers } from '@hephaisto/core/ports/clock';
import type { Sql } from '@hephaisto/core/ports/database';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import { fingerprintOf, type Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import { indexedKey, indexedName } from '@hephaisto/core/signal/indexed-text';
import type { Disposition } from '@hephaisto/core/signal/observation';
import { storedText } from '@hephaisto/core/signal/stored-text';
import { createYield } from '../event-loop-turns.ts';
import { nudge } from '../stage.ts';
import { mergeSightings } from './merge-sightings.ts';
import type { Sighting } from './sighting.ts';
import { touchIncidents } from './touch-incidents.ts';

export interface RecordDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'sleep'>;
  readonly ids: Ids;
  readonly sha256: Sha256Hex;
}

/** What became of one delivery's conditions. */
export interface Recorded {
  readonly inserted: number;
  readonly repeated: number;
}

/** Rows a statement: large enough that five thousand alerts are ten statements, small enough for one message to the server. */
const CHUNK = 500;

/**
 * Writes what was seen as the current state of each condition, on the caller's transaction. The same condition seen again is the same
 * row: counted, never doubled, and an end that was seen stays an end whatever arrives late. Incidents that already hold the condition
 * learn of it here, since a repeat needs no decision. Resolves to what was recorded, by delivery.
 */
export async function recordSightings(
  tx: Sql,
  deps: RecordDeps,
  sightings: readonly Sighting[],
): Promise<ReadonlyMap<number | undefined, Recorded>> {
  // Rows are locked in one order however they are divided: two that write the same conditions would else wait for each other.
  const merged = mergeSightings(sightings.map((each) => withIndexedKey(each, deps.sha256))).toSorted((a, b) =>
    a.sighting.observation.externalKey < b.sighting.observation.externalKey ? -1 : 1,
  );
  const recorded = new Map<number | undefined, Recorded>();
  const count = (intake: number | undefined, inserted: number, repeated: number): void => {
    const known = recorded.get(intake) ?? { inserted: 0, repeated: 0 };
    recorded.set(intake, { inserted: known.inserted + inserted, repeated: known.repeated + repeated });
  };
  for (const { intake } of sightings) count(intake, 0, 0);
  for (const { sighting } of merged) count(sighting.intake, 0, 1);
  const yieldToEventLoop = createYield(deps);
  let pending = 0;
  const clean = new Set<string>();
  const touched = new Set<string>();
  for (let at = 0; at < merged.length; at += CHUNK) {
    const rows: Readonly<Record<string, unknown>>[] = [];
    for (const each of merged.slice(at, at + CHUNK)) {
      // Redaction is linear, but in texts that a sender chose.
      await yieldToEventLoop();
      rows.push(rowOf(deps, each.sighting, each.count, clean));
    }
    for (const row of await upsert(tx, rows)) {
      if (row.inserted) count(row.intake_id ?? undefined, 1, -1);
      if (row.disposition === 'pending') pending += 1;
      if (row.incident_id !== null) touched.add(row.incident_id);
    }
  }
  await touchIncidents(tx, [...touched]);
  if (pending > 0) await nudge(tx, 'dedupe');
  return recorded;
}

/** Bounded before anything is merged: one statement may write a row only once. */
function withIndexedKey(sighting: Sighting, sha256: Sha256Hex): Sighting {
  const { observation } = sighting;
  return { ...sighting, observation: { ...observation, externalKey: indexedKey(observation.externalKey, sha256) } };
}

function rowOf(
  deps: RecordDeps,
  sighting: Sighting,
  count: number,
  clean: Set<string>,
): Readonly<Record<string, unknown>> {
  const seen = sighting.observation;
  const stored = storedText(seen, sighting.settled?.reason, clean);
  const correlation = seen.isSelf ? undefined : correlationKeyOf(seen);
  return {
    id: deps.ids.uuid(),
    cluster: seen.cluster,
    source: seen.source,
    external_key: seen.externalKey,
    kind: seen.kind,
    severity: seen.severity,
    reason: stored.reason,
    namespace: nameOf(seen.namespace),
    owner_kind: nameOf(seen.owner?.kind),
    owner_name: nameOf(seen.owner?.name),
    owner_chain: seen.ownerChain,
    pod_name: nameOf(seen.podName),
    node_name: nameOf(seen.nodeName),
    fingerprint: fingerprintOf({ ...seen, namespace: seen.namespace, owner: seen.owner }, deps.sha256),
    correlation_key: correlation === undefined ? null : indexedKey(correlation, deps.sha256),
    labels: stored.labels,
    payload: stored.payload,
    status: seen.status,
    is_self: seen.isSelf,
    starts_at: seen.startsAt ?? null,
    ends_at: seen.endsAt ?? null,
    disposition: sighting.settled?.disposition ?? 'pending',
    disposition_reason: stored.settledReason ?? null,
    occurrences: count,
    intake_id: sighting.intake ?? null,
  };
}

function nameOf(text: string | undefined): string | null {
  return text === undefined ? null : indexedName(text);
}

interface UpsertedRow {
  readonly inserted: boolean;
  readonly disposition: Disposition;
  readonly incident_id: string | null;
  readonly intake_id: number | null;
}

/**
 * A condition with a start of its own ends once: a firing that comes after its end is an old message. One without a start names every
 * time it ever fires with the same key, so there the last word counts and a new firing is looked at anew.
 */
async function upsert(tx: Sql, rows: readonly Readonly<Record<string, unknown>>[]): Promise<readonly UpsertedRow[]> {
  return await tx.query<UpsertedRow>(
    `INSERT INTO signals AS s (id, cluster, source, external_key, kind, severity, reason, namespace, owner_kind, owner_name, owner_chain,
       pod_name, node_name, fingerprint, correlation_key, labels, payload, status, is_self, starts_at, ends_at, received_at, last_seen_at,
       disposition, disposition_reason, occurrences, intake_id)
     SELECT r.id, r.cluster, r.source, r.external_key, r.kind, r.severity, r.reason, r.namespace, r.owner_kind, r.owner_name,
       r.owner_chain, r.pod_name, r.node_name, r.fingerprint, r.correlation_key, r.labels, r.payload, r.status, r.is_self, r.starts_at,
       r.ends_at, app_now(), app_now(), r.disposition, r.disposition_reason, r.occurrences, r.intake_id
     FROM jsonb_to_recordset($1::jsonb) AS r (id uuid, cluster text, source text, external_key text, kind text, severity text,
       reason text, namespace text, owner_kind text, owner_name text, owner_chain text[], pod_name text, node_name text, fingerprint text,
       correlation_key text, labels jsonb, payload jsonb, status text, is_self boolean, starts_at timestamptz, ends_at timestamptz,
       disposition text, disposition_reason text, occurrences integer, intake_id bigint)
     ORDER BY r.external_key COLLATE "C"
     ON CONFLICT (cluster, source, external_key) DO UPDATE SET
       occurrences = s.occurrences + excluded.occurrences,
       last_seen_at = app_now(),
       payload = excluded.payload,
       status = CASE WHEN s.starts_at IS NOT NULL AND s.status = 'resolved' THEN 'resolved' ELSE excluded.status END,
       ends_at = CASE WHEN s.starts_at IS NOT NULL THEN coalesce(s.ends_at, excluded.ends_at) ELSE excluded.ends_at END,
       disposition = CASE WHEN s.starts_at IS NULL AND s.status = 'resolved' AND excluded.status = 'firing' THEN excluded.disposition
                          ELSE s.disposition END,
       disposition_reason = CASE WHEN excluded.disposition = 'benign' THEN excluded.disposition_reason ELSE s.disposition_reason END
     RETURNING (s.xmax = 0) AS inserted, s.disposition, s.incident_id, s.intake_id`,
    [cleanJsonText(rows)],
  );
}
