import type { IncidentEdge } from '@hephaisto/core/incident/machine';
import type { Sql } from '@hephaisto/core/ports/database';
import type { TransitionOutcome } from '@hephaisto/core/ports/incident-log';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { withdrawDecisions } from '../incident-log/withdraw-decisions.ts';
import { nudge, type Stage, type StageDeps } from '../stage.ts';

/** Milliseconds, as configured. */
export interface SweepConfig {
  readonly quiet: number;
  readonly expiry: number;
  readonly stormWindow: number;
  readonly stormLimit: number;
  readonly stormCalm: number;
  readonly intakeRetention: number;
  readonly benignRetention: number;
}

/** One way in which an incident ends by itself. `due` gives ids; whether each is still due is asked again under its lock. */
interface Ending {
  readonly edge: IncidentEdge;
  readonly reason: 'parent-over' | 'quiet' | 'no-signal';
  readonly outcome: TransitionOutcome;
  readonly where: string;
  readonly afterMs: (config: SweepConfig) => number;
}

const QUIETABLE = `state IN ('Detected', 'Triaging', 'Investigating', 'AwaitingApproval', 'Escalated')`;
const AGO = `app_now() - $1::float8 * interval '1 millisecond'`;

const ENDINGS: readonly Ending[] = [
  {
    edge: 'I21',
    reason: 'parent-over',
    outcome: { resolutionSource: 'parent' },
    where: `state NOT IN ('Suppressed', 'Resolved', 'Expired') AND EXISTS (SELECT 1 FROM incidents p WHERE p.id = i.absorbed_by
      AND p.state IN ('Suppressed', 'Resolved', 'Expired') AND p.closed_at <= ${AGO})`,
    afterMs: () => 0,
  },
  {
    edge: 'I19',
    reason: 'quiet',
    outcome: { resolutionSource: 'quiet' },
    where: `${QUIETABLE} AND absorbed_by IS NULL AND quiet_since <= ${AGO}`,
    afterMs: (config) => config.quiet,
  },
  {
    edge: 'I20',
    reason: 'no-signal',
    outcome: {},
    where: `${QUIETABLE} AND absorbed_by IS NULL AND last_signal_at <= ${AGO}`,
    afterMs: (config) => config.expiry,
  },
];

/** Ends what nobody has to end: quiet and expired incidents, those whose parent is over, storms; and removes rows past their time. */
export function createSweepStage(deps: StageDeps, config: SweepConfig): Stage {
  async function end(ending: Ending): Promise<number> {
    const afterMs = ending.afterMs(config);
    const due = await deps.db.query<{ id: string }>(
      `SELECT i.id FROM incidents i WHERE ${ending.where} ORDER BY i.id LIMIT 100`,
      [afterMs],
    );
    let ended = 0;
    for (const { id } of due) {
      const moved = await deps.db.transaction(async (tx) => {
        const still = await tx.query(
          `SELECT i.id FROM incidents i WHERE i.id = $2 AND ${ending.where} FOR UPDATE OF i SKIP LOCKED`,
          [afterMs, id],
        );
        if (still.length === 0) return false;
        const { edge, reason, outcome } = ending;
        const by = { actor: SERVICE_PRINCIPALS.sweeper, origin: 'core' } as const;
        const result = await deps.incidents.transition(tx, { ...by, ...outcome, incidentId: id, edge, reason });
        if (result.kind === 'refused') return false;
        await withdrawDecisions(tx, id, reason);
        return true;
      });
      await deps.faults.hit(`sweep:${ending.reason}`);
      if (moved) ended += 1;
    }
    return ended;
  }

  return {
    name: 'sweep',
    pollMs: 1_000,
    async pass() {
      let moved = 0;
      for (const ending of ENDINGS) moved += await end(ending);
      moved += await deps.db.transaction((tx) => calmStorms(tx, config));
      await deps.faults.hit('sweep:storms');
      await prune(deps, config);
      return moved;
    },
  };
}

/**
 * Once it has been calm for long enough, what was kept with a storm and still fires is looked at like any other signal, a window's worth
 * at a time; the storm itself then becomes quiet.
 */
async function calmStorms(tx: Sql, config: SweepConfig): Promise<number> {
  const released = await tx.query<{ incident_id: string }>(
    `UPDATE signals SET disposition = 'pending', disposition_reason = NULL, incident_id = NULL
     WHERE id IN (
       SELECT s.id FROM signals s JOIN incidents i ON i.id = s.incident_id
       WHERE s.disposition = 'storm' AND s.status = 'firing' AND i.is_meta AND i.state NOT IN ('Suppressed', 'Resolved', 'Expired')
         AND NOT EXISTS (SELECT 1 FROM signals n WHERE n.incident_id = i.id AND n.received_at > app_now() - $1::float8 * interval '1 millisecond')
         AND (SELECT count(*) FROM incidents o WHERE o.cluster = i.cluster AND NOT o.is_meta
              AND o.created_at > app_now() - $2::float8 * interval '1 millisecond') < $3
       ORDER BY s.received_at, s.id LIMIT $3)
     RETURNING incident_id`,
    [config.stormCalm, Math.max(config.stormCalm, config.stormWindow), config.stormLimit],
  );
  if (released.length === 0) return 0;
  await tx.execute(
    `UPDATE incidents i SET quiet_since = app_now() WHERE i.is_meta AND i.quiet_since IS NULL
       AND i.correlation_key LIKE '["meta","storm"%' AND i.state NOT IN ('Suppressed', 'Resolved', 'Expired')
       AND NOT EXISTS (SELECT 1 FROM signals s WHERE s.incident_id = i.id AND s.status <> 'resolved')`,
  );
  await nudge(tx, 'dedupe');
  return released.length;
}

async function prune({ db, faults }: StageDeps, config: SweepConfig): Promise<void> {
  const ago = `app_now() - $1::float8 * interval '1 millisecond'`;
  await db.execute(
    `DELETE FROM signals WHERE id IN (SELECT id FROM signals WHERE
       (disposition IN ('benign', 'late', 'self') AND status = 'resolved' OR disposition = 'poison') AND incident_id IS NULL AND last_seen_at < ${ago} LIMIT 1000)`,
    [config.benignRetention],
  );
  await faults.hit('sweep:pruned-signals');
  await db.execute(
    `DELETE FROM intake WHERE id IN (SELECT id FROM intake WHERE status <> 'Pending' AND received_at < ${ago} ORDER BY id LIMIT 1000)`,
    [config.intakeRetention],
  );
  await faults.hit('sweep:pruned-intake');
  await db.execute(`DELETE FROM workload_samples WHERE at < app_now() - interval '2 days'`);
  await faults.hit('sweep:pruned-samples');
}
