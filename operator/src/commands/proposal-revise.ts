import type { EscalationReason } from '@hephaisto/core/incident/machine';
import type { EventOrigin } from '@hephaisto/core/ports/incident-log';
import { type ActionRow, lockAction, moveAction, readAction } from '../act/action-row.ts';
import { auditAction } from '../act/audit.ts';
import { commit } from '../act/commit.ts';
import type { ActingDeps } from '../act/deps.ts';
import { dryRun } from '../act/dry-run.ts';
import { type Judgement, judge } from '../act/judge.ts';
import {
  basisOf,
  draftProposal,
  insertProposal,
  latestProposal,
  type ProposalRow,
  readProposalRow,
} from '../act/proposal.ts';
import { stampsOfProposal } from '../act/stamps.ts';
import { type HeldLease, underLease } from '../act/under-lease.ts';
import type { CommandRefused } from './command.ts';

export interface ReviseProposal {
  readonly proposalId: string;
  readonly actor: string;
  readonly reason: string;
  readonly origin?: EventOrigin;
}

export type ReviseRefusal =
  | 'proposal-not-found'
  | 'still-open'
  | 'not-latest'
  | 'illegal-state'
  | 'target-changed'
  | 'not-allowed'
  | 'busy';

export type Revised =
  | { readonly kind: 'revised'; readonly proposalId: string; readonly revision: number; readonly digest: string }
  | CommandRefused<ReviseRefusal>;

/** Endings after which a person may ask for the same action to be shown once more. */
const REVISABLE: readonly ActionRow['state'][] = ['Rejected', 'ApprovalExpired', 'Refused', 'Withdrawn'];
const ESCALATIONS: readonly EscalationReason[] = ['ApprovalTimeout', 'Denied', 'AdmissionRefused', 'StabilityGate'];

/**
 * Shows the same action anew after it was denied, ran out of time, or was refused: on fresh facts, with a fresh dry run and a new digest. Whoever asks for it has not
 * proposed it and may vote.
 */
export async function reviseProposal(deps: ActingDeps, command: ReviseProposal): Promise<Revised> {
  const proposal = await readProposalRow(deps.db, command.proposalId);
  if (proposal === undefined)
    return refused('proposal-not-found', `expected a proposal, found none with the id \`${command.proposalId}\``);
  if (proposal.state === 'Open')
    return refused('still-open', 'the proposal is still open; decide it, or wait for its end');
  const latest = await latestProposal(deps.db, proposal.action_id);
  if (latest !== undefined && latest.id !== proposal.id)
    return refused('not-latest', 'a newer revision of the proposal exists', {
      newProposalId: latest.id,
      state: latest.state,
    });
  const done = await underLease(deps, 'action', proposal.action_id, (held) => revise(deps, held, proposal, command));
  return done ?? refused('busy', 'the action is being worked on; try again in a moment');
}

async function revise(
  deps: ActingDeps,
  held: HeldLease,
  proposal: ProposalRow,
  command: ReviseProposal,
): Promise<Revised> {
  const action = await readAction(deps.db, proposal.action_id);
  if (action?.request === undefined) return refused('illegal-state', 'the action is none that can be shown again');
  const wrong = await wrongState(deps, action);
  if (wrong !== undefined) return wrong;
  const typed = { ...action, request: action.request };
  const judged = await judge(deps, typed);
  const against = objection(proposal, judged);
  if (against !== undefined) return against;
  const dry = await dryRun(deps, held, action, judged, stampsOfProposal(action), 'admit');
  if (dry.kind === 'impossible') return refused('target-changed', dry.message, { reason: dry.reason });
  const { hashes } = judged;
  if (dry.kind !== 'accepted' || hashes === undefined) {
    if (dry.kind !== 'accepted') await commit(deps, held, action, (tx) => dry.settle(tx));
    await deps.faults.hit('admit:revise-refused');
    return refused(
      dry.kind === 'refused' ? 'not-allowed' : 'busy',
      dry.kind === 'accepted' ? 'the target could not be read' : dry.message,
    );
  }
  const draft = draftProposal(action, { ...judged, hashes }, dry);
  const made = await commit(deps, held, action, async (tx): Promise<Revised> => {
    await dry.settle(tx);
    const now = await lockAction(tx, action.id);
    if (now === undefined || !REVISABLE.includes(now.state))
      return refused('illegal-state', 'the action has moved on meanwhile');
    const next = await insertProposal(tx, deps.ids.uuid(), action.id, draft, command.actor);
    const who = { actor: command.actor, origin: command.origin ?? 'api' };
    const moved = await deps.incidents.transition(tx, {
      ...who,
      incidentId: action.incidentId,
      edge: 'I22',
      reason: 'revision_requested',
      data: { action: action.id, proposal: next.id, digest: next.digest },
    });
    if (moved.kind === 'refused') throw new IncidentElsewhere(moved.message);
    await moveAction(tx, action.id, now.state, 'AwaitingApproval', {
      inverse: dry.inverse,
      policyHash: judged.loaded.hash,
      reasons: judged.decision.codes,
    });
    await auditAction(tx, action, 'proposal.revise', who, { proposal: next.id, digest: next.digest });
    return { kind: 'revised', proposalId: next.id, revision: next.revision, digest: next.digest };
  }).catch((error: unknown) => {
    if (error instanceof IncidentElsewhere) return refused('illegal-state', error.message);
    throw error;
  });
  await deps.faults.hit('admit:revised');
  return made;
}

class IncidentElsewhere extends Error {
  readonly tag = 'IncidentElsewhere';
  readonly retryable = false;
}

async function wrongState(deps: ActingDeps, action: ActionRow): Promise<Revised | undefined> {
  const [incident] = await deps.db.query<{ escalation_reason: EscalationReason | null }>(
    'SELECT escalation_reason FROM incidents WHERE id = $1',
    [action.incidentId],
  );
  const reason = incident?.escalation_reason ?? null;
  if (
    action.incidentState === 'Escalated' &&
    reason !== null &&
    ESCALATIONS.includes(reason) &&
    REVISABLE.includes(action.state)
  )
    return undefined;
  return refused(
    'illegal-state',
    `expected an escalation that a new revision can answer, found ${action.incidentState}${reason === null ? '' : ` (${reason})`} with an action that is ${action.state}`,
  );
}

/** A finding whose basis is gone carries no action any more; only looking again can say what is right now. */
function objection(proposal: ProposalRow, { facts, hashes, decision }: Judgement): Revised | undefined {
  if (facts.targetGone) return refused('target-changed', 'the target no longer exists; reinvestigate the incident');
  if (hashes === undefined) return refused('not-allowed', 'the target cannot be read');
  if (hashes.basis !== basisOf(proposal))
    return refused('target-changed', 'what the finding rests on has changed; reinvestigate the incident', {
      reason: 'target_moved',
    });
  if (decision.decision !== 'Deny') return undefined;
  const denying = decision.gates.filter(({ verdict }) => verdict === 'deny');
  return refused('not-allowed', denying.map(({ message }) => message).join('; '), {
    codes: denying.map(({ code }) => code),
  });
}

function refused(reason: ReviseRefusal, message: string, details?: Readonly<Record<string, unknown>>): Revised {
  return { kind: 'refused', reason, message, ...(details === undefined ? {} : { details }) };
}
