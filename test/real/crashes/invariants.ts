import type { Plot, PlotEnd } from './plot.ts';
import type { Running } from './running.ts';

/** Work that must be over once a story has ended: a row here is something that only a person could still repair. */
const LEFT_OVER: Readonly<Record<string, string>> = {
  'bodies that were never expanded': `SELECT id::text AS what FROM intake WHERE status = 'Pending'`,
  'signals that were never settled': `SELECT id::text AS what FROM signals WHERE disposition = 'pending'`,
  'incidents under way': `SELECT id || ' ' || state AS what FROM incidents WHERE state NOT IN ('Suppressed', 'Resolved', 'Expired', 'Escalated')`,
  'investigations under way': `SELECT id || ' ' || state AS what FROM investigations WHERE state IN ('Queued', 'Running')`,
  'actions under way': `SELECT id || ' ' || state AS what FROM actions
    WHERE state IN ('Proposed', 'AwaitingApproval', 'Approved', 'Admitted', 'Executing', 'Executed', 'Verifying', 'RollingBack', 'VerificationFailed')
      AND NOT (state = 'VerificationFailed' AND post_state -> 'undo' IS NOT NULL)`,
  'calls without an outcome': `SELECT id::text AS what FROM action_attempts WHERE outcome = 'started' OR (outcome = 'unknown' AND readback IS NULL)`,
  'proposals nobody can decide': `SELECT id::text AS what FROM proposals WHERE state = 'Open'`,
  'checks of ended actions': `SELECT action_id::text AS what FROM verifications v JOIN actions a ON a.id = v.action_id
    WHERE v.ran_at IS NULL AND a.state IN ('Verified', 'RolledBack', 'RollbackFailed', 'Inconclusive')`,
  'messages that nobody was sent': `SELECT id || ' ' || status AS what FROM notification_deliveries WHERE status IN ('Pending', 'Sending', 'Unknown', 'Failed')`,
  'leases of the dead on work that is left': `SELECT l.subject_key AS what FROM leases l WHERE l.kind = 'action' AND l.released_at IS NULL AND l.expires_at > app_now()
      AND EXISTS (SELECT 1 FROM actions a WHERE a.id::text = l.subject_key AND a.state IN ('Verified', 'Failed', 'RolledBack', 'Denied'))`,
};

/** What can be done only once, and how often it is recorded: any row is a repetition. */
const TWICE: Readonly<Record<string, string>> = {
  'actions carried out twice': `SELECT action_id || ' ' || phase AS what FROM action_attempts
    WHERE phase <> 'dry_run' AND (outcome = 'succeeded' OR readback = 'applied') GROUP BY action_id, phase HAVING count(*) > 1`,
  'incidents with two open actions': `SELECT incident_id::text AS what FROM actions GROUP BY incident_id, plan_id HAVING count(*) > 1`,
  'edges taken twice': `SELECT incident_id::text AS what FROM incident_events WHERE edge = 'I1' GROUP BY incident_id HAVING count(*) > 1`,
  'gaps in the record': `SELECT incident_id::text AS what FROM incident_events GROUP BY incident_id HAVING max(seq) <> count(*)`,
};

/** Everything that differs from the story and from what must hold whatever happens; empty when all is well. */
export async function differences(run: Running, plot: Plot, user: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [what, text] of Object.entries({ ...LEFT_OVER, ...TWICE })) {
    const rows = await run.rows<{ what: string }>(text);
    if (rows.length > 0) found.push(`expected no ${what}, found ${rows.map((row) => row.what).join(', ')}`);
  }
  const real = realWrites(run, user);
  const undone = await notSent(run);
  if (real.length > plot.writes || real.length < plot.writes - undone)
    found.push(`expected ${plot.writes} changes in the cluster's record, found ${real.length}: ${real.join('; ')}`);
  for (const end of plot.ends) found.push(...(await endedOtherwise(run, end, undone > 0)));
  found.push(...(await lost(run, plot)));
  return found;
}

/** Whether the record and the cluster agree on what was changed, by the operator's own identity. */
function realWrites(run: Running, user: string): readonly string[] {
  return run.world.cluster.requests
    .writes()
    .filter(
      (record) =>
        record.user === user &&
        record.namespace === run.namespace &&
        !record.dryRun &&
        (record.verb === 'patch' || record.verb === 'delete' || record.subresource === 'eviction') &&
        record.resource !== 'events' &&
        (record.status === 0 ? record.body !== undefined : record.status < 300),
    )
    .map(({ verb, resource, name, status }) => `${verb} ${resource}/${name} ${status}`);
}

/** Calls that were written down and, as their readback found, never sent: a crash between the two, which is told and not repeated. */
async function notSent(run: Running): Promise<number> {
  if (run.killedAt.length === 0) return 0;
  const [row] = await run.rows<{ n: number }>(
    `SELECT count(*)::int AS n FROM action_attempts WHERE phase <> 'dry_run' AND outcome = 'unknown' AND readback = 'not_applied'`,
  );
  return row?.n ?? 0;
}

interface Ended {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly action: string | null;
  readonly n: number;
}

async function endedOtherwise(run: Running, end: PlotEnd, wasNotSent: boolean): Promise<readonly string[]> {
  const [row] = await run.rows<Ended>(
    `SELECT i.id, i.state, i.escalation_reason AS reason,
       (SELECT a.state FROM actions a WHERE a.incident_id = i.id ORDER BY a.created_at DESC LIMIT 1) AS action,
       (SELECT count(*)::int FROM incidents o WHERE o.owner_name = i.owner_name) AS n
     FROM incidents i WHERE i.owner_name = $1 ORDER BY i.created_at DESC LIMIT 1`,
    [end.workload],
  );
  if (row === undefined) return [`expected an incident of ${end.workload}, found none`];
  const told = { state: end.state, reason: end.reason ?? null, action: end.action ?? null };
  const seen = { state: row.state, reason: row.reason, action: row.action };
  const safe =
    wasNotSent && row.state === 'Escalated' && ['ActionFailed', 'VerificationFailed'].includes(row.reason ?? '');
  if (JSON.stringify(told) !== JSON.stringify(seen) && !safe)
    return [`expected ${end.workload} to end as ${JSON.stringify(told)}, found ${JSON.stringify(seen)}`];
  return row.n === 1 ? [] : [`expected one incident of ${end.workload}, found ${row.n}`];
}

/** Every body that somebody was thanked for, every message that was owed. */
async function lost(run: Running, plot: Plot): Promise<readonly string[]> {
  const found: string[] = [];
  const bodies = await run.rows<{ status: string; n: number }>(
    'SELECT status, count(*)::int AS n FROM intake GROUP BY status',
  );
  const kept = bodies.reduce((sum, row) => sum + row.n, 0);
  if (kept < run.taken.length) found.push(`expected ${run.taken.length} bodies to be kept, found ${kept}`);
  const poison = bodies.find((row) => row.status === 'Poison')?.n ?? 0;
  if (poison > 0 !== (plot.poison ?? 0) > 0)
    found.push(`expected ${plot.poison ?? 0} bodies put aside, found ${poison}`);
  const owed = await run.rows<{ key: string }>(
    `SELECT idempotency_key AS key FROM notification_deliveries WHERE status = 'Delivered'`,
  );
  const unheard = owed.filter(({ key }) => !run.receiver.seen.has(key));
  if (unheard.length > 0) found.push(`expected every message to arrive, found ${unheard.length} that did not`);
  return found;
}
