import { judgeBudgets } from '@hephaisto/core/action/budget';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import type { IncidentState } from '@hephaisto/core/incident/machine';
import type { Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { modeAtLeast, safestMode } from '@hephaisto/core/switches/modes';
import { type NamespaceRule, ruleMode } from '@hephaisto/policy/policy-file';
import { type ActionRow, lockAction, moveAction, readAction } from './action-row.ts';
import { auditAction } from './audit.ts';
import { bookAction, readBudgets } from './budgets.ts';
import type { ActingDeps } from './deps.ts';
import type { Judgement } from './judge.ts';
import { lockWorkload, quarantineOscillating } from './quarantine.ts';

export const ADMISSION_REFUSALS = [
  'already-handled',
  'incident-over',
  'emergency-stop',
  'mode-too-low',
  'runaway-latch',
  'quarantined',
  'cooldown',
  'budget-exceeded',
  'workload-busy',
] as const;
export type AdmissionRefusal = (typeof ADMISSION_REFUSALS)[number];

export type Admission =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'refused'; readonly reason: AdmissionRefusal; readonly message: string };

interface Wanted {
  readonly actionId: string;
  readonly judged: Judgement;
  /** Votes that stand behind it; empty for an act that policy allowed by itself. */
  readonly approvedBy: readonly string[];
  /** Which proposal was approved, for the audit. */
  readonly proposalId?: string;
}

/**
 * INVARIANT: everything that limits how often we act is read and written here, in one transaction that holds the incident, then the workload, then the
 * switches, then the action, then the budgets. Two admissions for one workload wait for each other; a switch that is being set waits for the admission, or the admission
 * for it. Everybody else who takes several of these rows takes them in this order.
 *
 * A refusal writes nothing but a quarantine that was found due; the caller says what the refusal means.
 */
export async function admit(tx: Sql, deps: ActingDeps, wanted: Wanted): Promise<Admission> {
  const found = await tx.query<{ incident_id: string }>('SELECT incident_id FROM actions WHERE id = $1', [
    wanted.actionId,
  ]);
  const incidentId = found[0]?.incident_id;
  if (incidentId === undefined) return refused('already-handled', 'the action no longer exists');
  const [incident] = await tx.query<{ state: IncidentState }>('SELECT state FROM incidents WHERE id = $1 FOR UPDATE', [
    incidentId,
  ]);
  const locked = await lockRows(tx, wanted);
  if (locked.kind === 'refused') return locked;
  const { action } = locked;
  const { request } = wanted.judged;
  const approved = wanted.approvedBy.length > 0;
  const expected: IncidentState = approved ? 'AwaitingApproval' : 'Investigating';
  if (incident?.state !== expected)
    return refused('incident-over', `expected the incident to be ${expected}, found ${incident?.state ?? 'none'}`);

  const bySwitch = await refusedBySwitch(tx, deps, request, wanted.judged.input.rule, approved);
  if (bySwitch !== undefined) return bySwitch;
  const byWorkload = await refusedByWorkload(tx, deps, action, request);
  if (byWorkload !== undefined) return byWorkload;
  const { namespace } = request.workload;
  const budget = judgeBudgets(await readBudgets(tx, namespace, action.id, true));
  // A used-up budget takes away the right to act alone; it does not overrule a person.
  if (budget.kind === 'exceeded' && !approved) return refused('budget-exceeded', budget.message);

  await moveAction(tx, action.id, approved ? 'Approved' : 'Proposed', 'Admitted', {
    decision: 'Allow',
    reasons: wanted.judged.decision.codes,
    policyHash: wanted.judged.loaded.hash,
    mode: wanted.judged.mode.mode,
    admittedNow: true,
    preState: {
      ...wanted.judged.facts.before,
      ...(wanted.judged.hashes === undefined ? {} : { specSha256: wanted.judged.hashes.spec }),
    },
  });
  await tx.execute(
    `UPDATE workloads SET cooldown_until = app_now() + $5 * interval '1 millisecond', cooldown_action_id = $6
     WHERE (cluster, namespace, kind, name) = ($1, $2, $3, $4)`,
    [...workloadKey(action.cluster, request), wanted.judged.input.rule?.cooldown ?? 900_000, action.id],
  );
  await bookAction(tx, namespace, action.id);
  await auditAction(
    tx,
    action,
    'action.admit',
    { actor: SERVICE_PRINCIPALS.policy, origin: 'core' },
    {
      approvedBy: wanted.approvedBy,
      proposal: wanted.proposalId ?? null,
      policyHash: wanted.judged.loaded.hash,
    },
  );
  return { kind: 'admitted' };
}

type Locked = { readonly kind: 'locked'; readonly action: ActionRow } | (Admission & { readonly kind: 'refused' });

/** Workload first, action second: the order in which everybody takes them. */
async function lockRows(tx: Sql, { actionId, approvedBy, judged }: Wanted): Promise<Locked> {
  const before = await readAction(tx, actionId);
  if (before !== undefined) await lockWorkload(tx, { ...before, request: judged.request });
  const action = await lockAction(tx, actionId);
  const state = approvedBy.length > 0 ? 'Approved' : 'Proposed';
  if (action?.state !== state)
    return refused('already-handled', `expected the action to be ${state}, found ${action?.state ?? 'none'}`);
  return { kind: 'locked', action };
}

async function refusedBySwitch(
  tx: Sql,
  deps: ActingDeps,
  request: AnyActionRequest,
  rule: NamespaceRule | undefined,
  approved: boolean,
): Promise<Admission | undefined> {
  const verdict = await deps.switches.lockedVerdict(tx, request.type);
  if (verdict.emergencyStop.on) return refused('emergency-stop', verdict.emergencyStop.why);
  const limits = [...verdict.limits];
  if (rule !== undefined)
    limits.push({ arm: 'policy', mode: ruleMode(rule, request.type), why: `rule \`${rule.match}\`` });
  const mode = safestMode(limits);
  if (!modeAtLeast(mode.mode, approved ? 'approve' : 'auto'))
    return refused('mode-too-low', `the mode is ${mode.mode}: ${mode.why}`);
  if (verdict.runawayLatch.on && !approved) return refused('runaway-latch', verdict.runawayLatch.why);
  return undefined;
}

interface WorkloadRow {
  readonly quarantined: boolean;
  readonly quarantine_reason: string | null;
  readonly cooling: boolean;
  readonly cooldown_until: Date | null;
  readonly busy: boolean;
}

async function refusedByWorkload(
  tx: Sql,
  deps: ActingDeps,
  action: ActionRow,
  request: AnyActionRequest,
): Promise<Admission | undefined> {
  await quarantineOscillating(tx, action, deps.policy.current().policy.oscillation);
  const [row] = await tx.query<WorkloadRow>(
    `SELECT coalesce(w.quarantined_until > app_now(), false) AS quarantined, w.quarantine_reason,
       coalesce(w.cooldown_until > app_now() AND w.cooldown_action_id IS DISTINCT FROM $5, false) AS cooling, w.cooldown_until,
       EXISTS (SELECT 1 FROM actions o WHERE (o.cluster, o.workload_namespace, o.workload_kind, o.workload_name) = ($1, $2, $3, $4)
         AND o.id <> $5 AND (o.state IN ('Admitted', 'Executing', 'RollingBack') OR (o.state = 'DryRunOk' AND o.admitted_at IS NOT NULL))) AS busy
     FROM workloads w WHERE (w.cluster, w.namespace, w.kind, w.name) = ($1, $2, $3, $4)`,
    [...workloadKey(action.cluster, request), action.id],
  );
  if (row === undefined) return refused('already-handled', 'the workload has no row');
  if (row.quarantined) return refused('quarantined', row.quarantine_reason ?? 'the workload is in quarantine');
  if (row.cooling)
    return refused(
      'cooldown',
      `the workload was acted on and is left alone until ${row.cooldown_until?.toISOString() ?? 'later'}`,
    );
  if (row.busy) return refused('workload-busy', 'another action on the workload is being carried out');
  return undefined;
}

function workloadKey(cluster: string, { workload }: AnyActionRequest): readonly string[] {
  return [cluster, workload.namespace, workload.kind, workload.name];
}

function refused(reason: AdmissionRefusal, message: string): Admission & { readonly kind: 'refused' } {
  return { kind: 'refused', reason, message };
}
