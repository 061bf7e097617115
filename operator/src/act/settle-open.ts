import type { Sql } from '@hephaisto/core/ports/database';
import type { EventOrigin } from '@hephaisto/core/ports/incident-log';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { type ActionRow, lockAction, moveAction } from './action-row.ts';
import { auditAction } from './audit.ts';
import type { ActingDeps } from './deps.ts';
import {
  type InsertedProposal,
  insertProposal,
  type ProposalDraft,
  type ProposalRow,
  readProposalRow,
  settleProposal,
} from './proposal.ts';

type TxDeps = Pick<ActingDeps, 'incidents' | 'ids'>;

/** The service that acts where nobody did. */
export const BY_POLICY: { readonly actor: string; readonly origin: EventOrigin } = {
  actor: SERVICE_PRINCIPALS.policy,
  origin: 'core',
};

/**
 * Takes the rows that decide about an open proposal, in the order of all who decide: incident, action, proposal. `undefined` when the
 * proposal or its action is not there.
 */
export async function lockOpen(
  tx: Sql,
  proposal: Pick<ProposalRow, 'id' | 'action_id' | 'incident_id'>,
): Promise<{ readonly proposal: ProposalRow; readonly action: ActionRow } | undefined> {
  await tx.query('SELECT 1 FROM incidents WHERE id = $1 FOR UPDATE', [proposal.incident_id]);
  const action = await lockAction(tx, proposal.action_id);
  const locked = await readProposalRow(tx, proposal.id, true);
  return action === undefined || locked === undefined ? undefined : { proposal: locked, action };
}

/** The clock has run out: nobody decided, so nothing is done. */
export async function expire(tx: Sql, deps: TxDeps, proposal: ProposalRow, action: ActionRow): Promise<void> {
  if (!(await settleProposal(tx, proposal.id, 'Expired'))) return;
  if (action.state === 'AwaitingApproval') await moveAction(tx, action.id, 'AwaitingApproval', 'ApprovalExpired');
  await auditAction(tx, action, 'proposal.expire', BY_POLICY, { proposal: proposal.id, digest: proposal.digest });
  await escalate(tx, deps, action, 'ApprovalTimeout', 'approval_timeout', { proposal: proposal.id });
}

/** What was shown can no longer be done; whoever wants it asks for another look. */
export async function voidProposal(
  tx: Sql,
  deps: TxDeps,
  proposal: ProposalRow,
  action: ActionRow,
  why: { readonly reason: string; readonly message: string; readonly delta?: readonly unknown[] },
): Promise<boolean> {
  if (!(await settleProposal(tx, proposal.id, 'Void', `${why.reason}: ${why.message}`))) return false;
  if (action.state === 'AwaitingApproval') await moveAction(tx, action.id, 'AwaitingApproval', 'Withdrawn');
  await auditAction(tx, action, 'proposal.void', BY_POLICY, { proposal: proposal.id, reason: why.reason });
  await escalate(tx, deps, action, 'AdmissionRefused', why.reason, {
    proposal: proposal.id,
    message: why.message,
    delta: why.delta ?? [],
  });
  return true;
}

/** What was shown is still right but no longer what would happen: the same action, shown anew. */
export async function supersede(
  tx: Sql,
  deps: TxDeps,
  proposal: ProposalRow,
  action: ActionRow,
  draft: ProposalDraft,
  why: { readonly reason: string; readonly message: string; readonly delta: readonly unknown[] },
): Promise<InsertedProposal | undefined> {
  if (!(await settleProposal(tx, proposal.id, 'Superseded', `${why.reason}: ${why.message}`))) return undefined;
  const next = await insertProposal(tx, deps.ids.uuid(), action.id, draft);
  await auditAction(tx, action, 'proposal.supersede', BY_POLICY, {
    proposal: proposal.id,
    next: next.id,
    reason: why.reason,
  });
  await deps.incidents.transition(tx, {
    ...BY_POLICY,
    incidentId: action.incidentId,
    edge: 'I23',
    reason: why.reason,
    data: { proposal: proposal.id, next: next.id, digest: next.digest, message: why.message, delta: why.delta },
  });
  return next;
}

async function escalate(
  tx: Sql,
  deps: TxDeps,
  action: ActionRow,
  escalationReason: 'ApprovalTimeout' | 'AdmissionRefused',
  reason: string,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  // Refused when the incident has meanwhile ended otherwise; then there is nobody left to tell.
  await deps.incidents.transition(tx, {
    ...BY_POLICY,
    incidentId: action.incidentId,
    edge: 'I11',
    reason,
    escalationReason,
    data: { ...data, action: action.id },
  });
}
