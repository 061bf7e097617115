import type { AnyActionRequest } from '@hephaisto/core/action/types';
import type { Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import { type Assessment, assess, LAST_ATTEMPT } from '@hephaisto/verifier/assess';
import { decideRollback } from '@hephaisto/verifier/rollback';
import { type ActionRow, moveAction } from '../../act/action-row.ts';
import { auditAction } from '../../act/audit.ts';
import { commit } from '../../act/commit.ts';
import type { ActingDeps } from '../../act/deps.ts';
import { endUndo } from '../../act/end-undo.ts';
import { giveUpRemovals } from '../../act/removal-attempts.ts';
import { scheduleRestored } from '../../act/schedule-restored.ts';
import type { HeldLease } from '../../act/under-lease.ts';
import { nudge } from '../stage.ts';
import type { DueCheck } from './due-check.ts';
import { gatherVerification } from './gather.ts';

const BY_VERIFIER = { actor: SERVICE_PRINCIPALS.verifier, origin: 'verifier' } as const;

type Typed = ActionRow & { readonly request: AnyActionRequest };

/** Measures, judges, and writes both down; the last check of an action, or any that settles an undo, moves it on. */
export async function check(deps: ActingDeps, held: HeldLease, action: Typed, due: DueCheck): Promise<boolean> {
  const facts = await gatherVerification(deps, action);
  const assessment = assess(facts, due.question, due.attempt);
  if (isMomentary(assessment, due) && due.lateMs < deps.settings.patienceMs) return false;
  const recorded = await commit(deps, held, action, async (tx) => {
    if (!(await record(tx, due, assessment))) return false;
    await auditAction(tx, action, 'action.verify', BY_VERIFIER, {
      subject: due.subject,
      attempt: due.attempt,
      result: assessment.result,
    });
    if (due.subject === 'rollback') await concludeUndo(tx, deps, action, due, assessment);
    else if (due.attempt >= LAST_ATTEMPT) await conclude(tx, deps, action, assessment);
    return true;
  });
  await deps.faults.hit('verify:checked');
  // Another replica may have been first: each check is counted where it was written.
  if (!recorded) return false;
  deps.metrics.count('verifications_total', { result: assessment.result });
  if (due.subject === 'rollback' && assessment.result === 'Passed')
    deps.metrics.count('rollbacks_total', { reason: 'verification_failed' });
  return true;
}

/** The last check decides; a server that does not answer for a moment must not decide in its place. An earlier one only waits for the next. */
function isMomentary({ reason }: Assessment, { attempt }: DueCheck): boolean {
  return reason === 'unmeasured' && attempt >= LAST_ATTEMPT;
}

async function record(tx: Sql, due: DueCheck, { result, predicates }: Assessment): Promise<boolean> {
  const rows = predicates.map((predicate) => ({ ...predicate, result: predicate.verdict }));
  const updated = await tx.execute(
    `UPDATE verifications SET ran_at = app_now(), result = $4, predicates = $5::jsonb
     WHERE action_id = $1 AND subject = $2 AND attempt = $3 AND ran_at IS NULL`,
    [due.actionId, due.subject, due.attempt, result, cleanJsonText(rows)],
  );
  return updated === 1;
}

/** Only here, and only when the last check passed, is an incident resolved by the product. */
async function conclude(tx: Sql, deps: ActingDeps, action: Typed, assessment: Assessment): Promise<void> {
  const decision = decideRollback(
    assessment.result,
    action.inverse ?? { kind: 'none', why: 'nothing was stored that could be put back' },
  );
  // Long after the patience of a removal: a call that is still open here belonged to a process that is gone.
  await giveUpRemovals(tx, action.id, 'the process that made the call is gone');
  const data = { action: action.id, message: assessment.message };
  const end = { ...BY_VERIFIER, incidentId: action.incidentId, data };
  if (decision.kind === 'leave' && decision.reason === 'passed') {
    await moveAction(tx, action.id, 'Verifying', 'Verified');
    await deps.incidents.transition(tx, {
      ...end,
      edge: 'I14',
      reason: 'verified',
      resolutionSource: 'verifier',
      resolutionNote: assessment.message,
    });
    return;
  }
  if (decision.kind === 'leave') {
    await moveAction(tx, action.id, 'Verifying', 'Inconclusive');
    await deps.incidents.transition(tx, {
      ...end,
      edge: 'I16',
      reason: assessment.reason,
      escalationReason: 'VerificationInconclusive',
    });
    return;
  }
  await moveAction(tx, action.id, 'Verifying', 'VerificationFailed');
  if (decision.kind === 'undo') {
    await nudge(tx, 'act');
    return;
  }
  await endUndo(tx, deps, BY_VERIFIER, action, {
    from: 'VerificationFailed',
    subReason: 'NothingToUndo',
    reason: 'verification_failed',
    message: `${assessment.message}; ${decision.message}`,
  });
}

/** An undo is done once the prior values stand and were seen; it is looked at up to three times. */
async function concludeUndo(
  tx: Sql,
  deps: ActingDeps,
  action: Typed,
  { attempt }: DueCheck,
  { result, reason, message }: Assessment,
): Promise<void> {
  if (result === 'Passed') {
    await endUndo(tx, deps, BY_VERIFIER, action, {
      from: 'RollingBack',
      to: 'RolledBack',
      subReason: 'RolledBack',
      reason: 'restored',
      message,
    });
    return;
  }
  if (attempt < LAST_ATTEMPT) {
    await scheduleRestored(tx, deps, action.id, attempt === 1 ? 2 : 3);
    return;
  }
  const failed = result === 'Failed';
  await endUndo(tx, deps, BY_VERIFIER, action, {
    from: 'RollingBack',
    to: failed ? 'RollbackFailed' : 'RollbackUnknown',
    subReason: failed ? 'RollbackFailed' : 'RollbackUnknown',
    reason,
    message,
  });
}
