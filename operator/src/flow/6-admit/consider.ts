import type { AnyActionRequest } from '@hephaisto/core/action/types';
import type { EscalationReason } from '@hephaisto/core/incident/machine';
import type { Sql } from '@hephaisto/core/ports/database';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import { MOMENTARY_CODES } from '@hephaisto/policy/gate';
import { type ActionChange, type ActionRow, lockAction, moveAction } from '../../act/action-row.ts';
import { admit } from '../../act/admission.ts';
import { auditAction } from '../../act/audit.ts';
import { commit } from '../../act/commit.ts';
import type { ActingDeps } from '../../act/deps.ts';
import { type DryRun, dryRun } from '../../act/dry-run.ts';
import { escalationOf } from '../../act/escalation.ts';
import { type Judgement, judge } from '../../act/judge.ts';
import { draftProposal, insertProposal } from '../../act/proposal.ts';
import { lockWorkload, quarantineOscillating } from '../../act/quarantine.ts';
import { BY_POLICY } from '../../act/settle-open.ts';
import { stampsOfProposal } from '../../act/stamps.ts';
import type { HeldLease } from '../../act/under-lease.ts';
import { nudge } from '../stage.ts';

/** A proposed action, looked at once: it leaves denied, waiting for a person, admitted, or tried and shown. True when it moved. */
export async function consider(deps: ActingDeps, held: HeldLease, action: ActionRow): Promise<boolean> {
  if (action.state !== 'Proposed') return false;
  if (action.request === undefined) return await unsupported(deps, held, action);
  if (action.incidentState !== 'Investigating') return await overtaken(deps, held, action);
  await quarantineFirst(deps, action);
  const typed = { ...action, request: action.request };
  const judged = await judge(deps, typed);
  const { decision } = judged.decision;
  if (decision === 'Deny' && isOnlyDryRun(judged)) return await tryAndShow(deps, held, action, judged);
  if (decision === 'Deny') {
    if (isMomentary(judged) && action.stateAgeMs < patience(deps, judged)) return false;
    return await deny(deps, held, action, judged);
  }
  if (decision === 'Allow') {
    const admission = await admitAlone(deps, held, action, judged);
    if (admission.kind === 'admitted') return true;
    if (
      admission.reason !== 'budget-exceeded' &&
      admission.reason !== 'mode-too-low' &&
      admission.reason !== 'runaway-latch'
    )
      return await refuse(deps, held, action, admission);
  }
  return await show(deps, held, typed, judged);
}

/** A server that does not answer for a moment, or a pod that is a little too young, is no verdict on the action. */
function isMomentary({ decision, facts }: Judgement): boolean {
  const denying = decision.gates.filter(({ verdict }) => verdict === 'deny');
  return !facts.targetGone && denying.every(({ code }) => code !== 'ok' && MOMENTARY_CODES.includes(code));
}

/** A pod that is too young is given the time to grow up, too. */
function patience(deps: ActingDeps, { input }: Judgement): number {
  return deps.settings.patienceMs + (input.rule?.podAge ?? 0);
}

/** In mode dryrun everything is done but the act; what else denies, denies. */
function isOnlyDryRun({ decision }: Judgement): boolean {
  return decision.gates.every(({ verdict, code }) => verdict !== 'deny' || code === 'dryrun_mode');
}

async function quarantineFirst(deps: ActingDeps, action: ActionRow): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await lockWorkload(tx, action);
    await quarantineOscillating(tx, action, deps.policy.current().policy.oscillation);
  });
  await deps.faults.hit('admit:quarantine-asked');
}

async function unsupported(deps: ActingDeps, held: HeldLease, action: ActionRow): Promise<boolean> {
  await commit(deps, held, action, async (tx) => {
    await moveAction(tx, action.id, 'Proposed', 'Unsupported', { decision: 'Deny', reasons: ['unsupported'] });
    await unsupportedAttempt(tx, deps, held, action);
    await auditAction(tx, action, 'action.unsupported', BY_POLICY, { message: action.unsupported ?? '' });
    await escalate(tx, deps, action, 'PolicyDeny', 'unsupported', { message: action.unsupported ?? '' });
  });
  await deps.faults.hit('admit:unsupported');
  return true;
}

/** The record of a call that was never made, because there is no such call. */
async function unsupportedAttempt(tx: Sql, deps: ActingDeps, held: HeldLease, action: ActionRow): Promise<void> {
  await tx.execute(
    `INSERT INTO action_attempts (id, action_id, phase, n, leader_epoch, request, outcome, response, finished_at)
     VALUES ($1, $2, 'execute', 1, $3, '{}'::jsonb, 'unsupported', $4::jsonb, app_now())`,
    [deps.ids.uuid(), action.id, held.lease.epoch, cleanJsonText({ message: action.unsupported ?? '' })],
  );
}

/** The incident has ended, or a person has it: nothing is left to be proposed for. */
async function overtaken(deps: ActingDeps, held: HeldLease, action: ActionRow): Promise<boolean> {
  await commit(deps, held, action, async (tx) => {
    await moveAction(tx, action.id, 'Proposed', 'Refused', { reasons: ['incident_over'] });
    await auditAction(tx, action, 'action.refuse', BY_POLICY, { reason: 'incident_over' });
  });
  await deps.faults.hit('admit:overtaken');
  return true;
}

async function deny(deps: ActingDeps, held: HeldLease, action: ActionRow, judged: Judgement): Promise<boolean> {
  const { codes, gates } = judged.decision;
  const denying = gates.filter(({ verdict }) => verdict === 'deny');
  const reason = escalationOf(denying.flatMap(({ code }) => (code === 'ok' ? [] : [code])));
  await commit(deps, held, action, async (tx) => {
    await moveAction(tx, action.id, 'Proposed', 'Denied', { ...decided(judged), decision: 'Deny' });
    await auditAction(tx, action, 'action.deny', BY_POLICY, { codes });
    const message = denialMessage(denying, action.stateAgeMs);
    await escalate(tx, deps, action, reason, denying[0]?.code ?? 'unreadable', { message, gates: denying });
  });
  await deps.faults.hit('admit:denied');
  for (const { code } of denying) deps.metrics.count('policy_decisions_total', { verdict: 'Deny', reason: code });
  return true;
}

/** Where nothing but unread facts denied, another look may end otherwise, so the sentence says how long was waited and how to look again. */
function denialMessage(denying: Judgement['decision']['gates'], waitedMs: number): string {
  const said = denying.map(({ message }) => message).join('; ');
  if (!denying.every(({ code }) => code === 'unreadable')) return said;
  return `${said}; waited ${Math.round(waitedMs / 1_000)} s. Reinvestigate once it can be read`;
}

async function admitAlone(
  deps: ActingDeps,
  held: HeldLease,
  action: ActionRow,
  judged: Judgement,
): Promise<Awaited<ReturnType<typeof admit>>> {
  const admission = await commit(deps, held, action, async (tx) => {
    const result = await admit(tx, deps, { actionId: action.id, judged, approvedBy: [] });
    if (result.kind === 'admitted') {
      await deps.incidents.transition(tx, {
        ...BY_POLICY,
        incidentId: action.incidentId,
        edge: 'I8',
        reason: 'policy_allowed',
        data: { action: action.id },
      });
      await nudge(tx, 'act');
    }
    return result;
  });
  await deps.faults.hit('admit:allowed');
  if (admission.kind === 'admitted')
    deps.metrics.count('policy_decisions_total', { verdict: 'Allow', reason: 'admitted' });
  return admission;
}

async function refuse(
  deps: ActingDeps,
  held: HeldLease,
  action: ActionRow,
  admission: { readonly reason: string; readonly message: string },
): Promise<boolean> {
  if (admission.reason === 'already-handled') return false;
  await commit(deps, held, action, async (tx) => {
    await moveAction(tx, action.id, 'Proposed', 'Refused', { reasons: [admission.reason] });
    await auditAction(tx, action, 'action.refuse', BY_POLICY, { reason: admission.reason });
    const escalation = admission.reason === 'quarantined' ? 'Quarantined' : 'PolicyDeny';
    await escalate(tx, deps, action, escalation, admission.reason, { message: admission.message });
  });
  await deps.faults.hit('admit:allowed-refused');
  deps.metrics.count('policy_decisions_total', { verdict: 'Deny', reason: admission.reason });
  return true;
}

async function tryAndShow(deps: ActingDeps, held: HeldLease, action: ActionRow, judged: Judgement): Promise<boolean> {
  const dry = await dryRun(deps, held, action, judged, stampsOfProposal(action), 'admit');
  if ((dry.kind === 'moved' || dry.kind === 'refused') && isWaiting(deps, action, judged, dry))
    return await closeDryRun(deps, dry);
  if (dry.kind !== 'accepted') return await endDryRunFailed(deps, held, action, judged, dry);
  await commit(deps, held, action, async (tx) => {
    await dry.settle(tx);
    await moveAction(tx, action.id, 'Proposed', 'DryRunOk', {
      ...decided(judged),
      inverse: dry.inverse,
      postState: { dryRun: { diff: dry.diff } },
    });
    await auditAction(tx, action, 'action.dry-run', BY_POLICY, { accepted: true });
    await escalate(tx, deps, action, 'ObserveOnly', 'dryrun_mode', { diff: dry.diff });
  });
  await deps.faults.hit('admit:dry-run-shown');
  deps.metrics.count('policy_decisions_total', { verdict: 'Deny', reason: 'dryrun_mode' });
  return true;
}

/** A target that moves under every dry run is given up like one that the server refuses for too long. */
function isWaiting(deps: ActingDeps, action: ActionRow, judged: Judgement, dry: DryRun): boolean {
  if (dry.kind === 'moved') return action.stateAgeMs < patience(deps, judged);
  return dry.kind === 'refused' && dry.passing && action.stateAgeMs < deps.settings.patienceMs;
}

async function closeDryRun(deps: ActingDeps, dry: DryRun & { kind: 'moved' | 'refused' }): Promise<boolean> {
  await deps.db.transaction((tx) => dry.settle(tx));
  await deps.faults.hit('admit:dry-run-closed');
  return false;
}

async function endDryRunFailed(
  deps: ActingDeps,
  held: HeldLease,
  action: ActionRow,
  judged: Judgement,
  dry: DryRun & { kind: 'moved' | 'refused' | 'impossible' },
): Promise<boolean> {
  const reason = dry.kind === 'impossible' ? dry.reason : dry.kind === 'moved' ? 'target_moved' : 'dry_run_refused';
  await commit(deps, held, action, async (tx) => {
    if (dry.kind !== 'impossible') await dry.settle(tx);
    await moveAction(tx, action.id, 'Proposed', 'DryRunFailed', {
      ...decided(judged),
      reasons: [...judged.decision.codes, reason],
    });
    await auditAction(tx, action, 'action.dry-run', BY_POLICY, { accepted: false, reason });
    await escalate(tx, deps, action, 'DryRunFailed', reason, { message: dry.message });
  });
  await deps.faults.hit('admit:dry-run-failed');
  deps.metrics.count('actions_total', { action: action.type, result: 'dry_run_failed' });
  return true;
}

/** A person decides: the exact change, as the server answered it, frozen with its digest. */
async function show(
  deps: ActingDeps,
  held: HeldLease,
  action: ActionRow & { readonly request: AnyActionRequest },
  judged: Judgement,
): Promise<boolean> {
  const { hashes } = judged;
  const dry = await dryRun(deps, held, action, judged, stampsOfProposal(action), 'admit');
  if ((dry.kind === 'moved' || dry.kind === 'refused') && isWaiting(deps, action, judged, dry))
    return await closeDryRun(deps, dry);
  if (dry.kind !== 'accepted' || hashes === undefined)
    return dry.kind === 'accepted' ? false : await endDryRunFailed(deps, held, action, judged, dry);
  const draft = draftProposal(action, { ...judged, hashes }, dry);
  const made = await commit(deps, held, action, async (tx) => {
    await dry.settle(tx);
    const now = await lockAction(tx, action.id);
    if (now?.state !== 'Proposed' || now.incidentState !== 'Investigating') return undefined;
    const proposal = await insertProposal(tx, deps.ids.uuid(), action.id, draft);
    await moveAction(tx, action.id, 'Proposed', 'AwaitingApproval', {
      ...decided(judged),
      decision: 'RequireApproval',
      inverse: dry.inverse,
    });
    await auditAction(tx, action, 'proposal.open', BY_POLICY, {
      proposal: proposal.id,
      digest: proposal.digest,
      quorum: draft.quorum,
    });
    await deps.incidents.transition(tx, {
      ...BY_POLICY,
      incidentId: action.incidentId,
      edge: 'I7',
      reason: judged.decision.codes[0] ?? 'approval_required',
      data: {
        action: action.id,
        proposal: proposal.id,
        digest: proposal.digest,
        expiresAt: proposal.expiresAt.toISOString(),
      },
    });
    return proposal;
  });
  await deps.faults.hit('admit:proposed');
  if (made === undefined) return false;
  for (const code of judged.decision.codes)
    deps.metrics.count('policy_decisions_total', { verdict: 'RequireApproval', reason: code });
  return true;
}

function decided(judged: Judgement): ActionChange {
  return { reasons: judged.decision.codes, policyHash: judged.loaded.hash, mode: judged.mode.mode };
}

async function escalate(
  tx: Sql,
  deps: ActingDeps,
  action: ActionRow,
  escalationReason: EscalationReason,
  reason: string,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  await deps.incidents.transition(tx, {
    ...BY_POLICY,
    incidentId: action.incidentId,
    edge: 'I6',
    reason,
    escalationReason,
    data: { ...data, action: action.id },
  });
}
