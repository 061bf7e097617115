import { specDiff } from '@hephaisto/core/action/spec-diff';
import type { Sql } from '@hephaisto/core/ports/database';
import type { EventOrigin } from '@hephaisto/core/ports/incident-log';
import { areDifferentPeople } from '@hephaisto/core/principal/access';
import { modeAtLeast, safestMode } from '@hephaisto/core/switches/modes';
import { ruleFor } from '@hephaisto/policy/policy-file';
import { type ActionRow, moveAction } from '../act/action-row.ts';
import { auditAction } from '../act/audit.ts';
import type { ActingDeps } from '../act/deps.ts';
import { latestProposal, type ProposalRow, readProposalRow, settleProposal } from '../act/proposal.ts';
import { type Recheck, recheckProposal } from '../act/recheck.ts';
import { expire, lockOpen } from '../act/settle-open.ts';
import { nudge } from '../flow/stage.ts';
import type { CommandRefused } from './command.ts';
import { countPeopleFor, earlierVotes, readVoter, type Voter } from './voter.ts';

export const APPROVAL_SOURCES = ['console', 'api', 'teams', 'github_comment', 'github_reaction'] as const;
export type ApprovalSource = (typeof APPROVAL_SOURCES)[number];

export interface DecideProposal {
  readonly proposalId: string;
  readonly decision: 'approve' | 'deny';
  /** Of the proposal as the person saw it. */
  readonly digest: string;
  readonly reason?: string;
  readonly actor: string;
  readonly source: ApprovalSource;
  /** The account that made the token of this vote; null where nobody recorded it, absent where the vote came without a token. */
  readonly tokenMadeBy?: string | null;
  /** The account that made the sign-in link of the voter's session; null where the installation made it, absent without a session. */
  readonly linkMadeBy?: string | null;
}

export type DecideRefusal =
  | 'proposal-not-found'
  | 'already-decided'
  | 'already-voted'
  | 'target-changed'
  | 'digest-mismatch'
  | 'self-approval'
  | 'service-vote'
  | 'switched-off'
  | 'reason-required';

export type Decided =
  | {
      readonly kind: 'voted';
      readonly proposal: { readonly id: string; readonly state: 'Open' | 'Approved' | 'Denied' };
      readonly votes: number;
      readonly quorum: number;
    }
  | CommandRefused<DecideRefusal>;

const ORIGINS: Readonly<Record<ApprovalSource, EventOrigin>> = {
  console: 'console',
  api: 'api',
  teams: 'teams',
  github_comment: 'github',
  github_reaction: 'github',
};

/**
 * One person's vote on exactly the bytes that the person saw. Whoever commits first decides; everybody after is told by whom, what and when. The target
 * is read again before an approval is taken, so that nobody approves what no longer is.
 */
export async function decideProposal(deps: ActingDeps, vote: DecideProposal): Promise<Decided> {
  const proposal = await readProposalRow(deps.db, vote.proposalId);
  if (proposal === undefined)
    return refused('proposal-not-found', `expected a proposal, found none with the id \`${vote.proposalId}\``);
  if (vote.decision === 'deny' && (vote.reason === undefined || vote.reason.trim() === ''))
    return refused('reason-required', 'expected a reason with a denial, found none');
  if (proposal.state === 'Open' && vote.decision === 'approve' && proposal.digest === vote.digest) {
    const changed = targetChanged(await settledRecheck(deps, proposal.id));
    if (changed !== undefined) return changed;
  }
  const answer = await deps.db.transaction((tx) => cast(tx, deps, proposal, vote));
  await deps.faults.hit('admit:voted');
  deps.metrics.count('approvals_total', {
    decision: answer.kind === 'voted' ? vote.decision : answer.reason,
    channel: vote.source,
  });
  if (answer.kind === 'voted' && answer.proposal.state !== 'Open') await observeWait(deps, proposal.id);
  return answer;
}

async function observeWait(deps: ActingDeps, proposalId: string): Promise<void> {
  const [waited] = await deps.db.query<{ seconds: number }>(
    'SELECT extract(epoch FROM settled_at - created_at)::float8 AS seconds FROM proposals WHERE id = $1',
    [proposalId],
  );
  if (waited !== undefined) deps.metrics.observe('approval_wait_seconds', Number(waited.seconds));
}

/** Pauses between the looks at a target that goes on moving. A person is better served by a new revision than by a bare refusal. */
const MOVING_PAUSES_MS = [200, 500, 1_000] as const;

async function settledRecheck(deps: ActingDeps, proposalId: string): Promise<Recheck> {
  let seen = await recheckProposal(deps, proposalId);
  for (const pause of MOVING_PAUSES_MS) {
    if (seen.kind !== 'moving') break;
    await deps.timers.sleep(pause);
    seen = await recheckProposal(deps, proposalId);
  }
  return seen;
}

function targetChanged(seen: Recheck): Decided | undefined {
  if (seen.kind === 'superseded')
    return refused('target-changed', `${seen.message}; a new revision waits for a decision`, {
      state: 'Superseded',
      reason: seen.reason,
      delta: seen.delta,
      newProposalId: seen.next.id,
      newDigest: seen.next.digest,
    });
  if (seen.kind === 'void')
    return refused('target-changed', `${seen.message}; the proposal is void`, {
      state: 'Void',
      reason: seen.reason,
      delta: seen.delta,
    });
  if (seen.kind === 'moving')
    return refused('target-changed', `${seen.message} and is still moving; read the proposal again in a moment`, {
      state: 'Open',
      reason: seen.reason,
      delta: seen.delta,
      newProposalId: null,
    });
  return undefined;
}

async function cast(tx: Sql, deps: ActingDeps, seen: ProposalRow, vote: DecideProposal): Promise<Decided> {
  const open = await lockOpen(tx, seen);
  if (open === undefined) return refused('proposal-not-found', 'the proposal no longer exists');
  const { proposal, action } = open;
  if (proposal.state !== 'Open') return await alreadySettled(tx, proposal);
  if (proposal.over) {
    await expire(tx, deps, proposal, action);
    return await alreadySettled(tx, { ...proposal, state: 'Expired' });
  }
  if (proposal.digest !== vote.digest)
    return refused('digest-mismatch', 'expected the digest of the proposal as it is shown, found another', {
      digest: proposal.digest,
    });
  const barred = await barredVoter(tx, deps, proposal, action, vote);
  if (barred !== undefined) return barred;
  const off = vote.decision === 'approve' ? await switchedOff(tx, deps, action) : undefined;
  if (off !== undefined) return off;
  await tx.execute(
    `INSERT INTO approvals (id, proposal_id, decision, actor, source, reason, subject_sha256, credential_made_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      deps.ids.uuid(),
      proposal.id,
      vote.decision,
      vote.actor,
      vote.source,
      vote.reason ?? null,
      vote.digest,
      credentialMaker(vote),
    ],
  );
  return await count(tx, deps, proposal, action, vote);
}

/** Why this account has no vote on this proposal; undefined where it has one. */
async function barredVoter(
  tx: Sql,
  deps: ActingDeps,
  proposal: ProposalRow,
  action: ActionRow,
  vote: DecideProposal,
): Promise<Decided | undefined> {
  const voter = await readVoter(tx, vote.actor);
  const namespace = action.request?.target.namespace ?? '';
  const serviceVotes = ruleFor(deps.policy.current().policy, namespace)?.serviceVotes === true;
  // An account without a row is nobody whom a quorum could count.
  if (voter === undefined || (voter.kind === 'service' && !serviceVotes))
    return refused(
      'service-vote',
      `expected the vote of a person, found \`${vote.actor}\`; sign in as a person, or set serviceVotes in the policy rule of the namespace`,
    );
  const proposer = await readVoter(tx, proposal.proposed_by);
  if (proposal.proposed_by === vote.actor || proposer?.person === voter.person)
    return refused('self-approval', 'the person who proposed it cannot decide it');
  const linkMaker = typeof vote.linkMadeBy === 'string' ? await readVoter(tx, vote.linkMadeBy) : undefined;
  if (vote.decision === 'approve' && proposer !== undefined && linkMaker?.person === proposer.person)
    return refused(
      'self-approval',
      'the person who proposed it made the sign-in link of this session, so the vote may be theirs',
    );
  const borrowed = await borrowedVote(tx, proposal, proposer?.person, voter, vote);
  if (borrowed !== undefined) return borrowed;
  return await votedBefore(tx, proposal, voter, vote);
}

/** The account that made the credential of the vote; null where that is the installation, or nobody recorded it. */
function credentialMaker(vote: DecideProposal): string | null {
  return vote.linkMadeBy ?? vote.tokenMadeBy ?? null;
}

/** Refuses a second vote of one person, and an approval that may come from somebody who has voted. A denial only stops. */
async function votedBefore(
  tx: Sql,
  proposal: ProposalRow,
  voter: Voter,
  vote: DecideProposal,
): Promise<Decided | undefined> {
  const maker = credentialMaker(vote);
  const madeBy = maker === null ? undefined : (await readVoter(tx, maker))?.person;
  const votes = await earlierVotes(tx, proposal.id);
  const own = votes.find(({ origin }) => origin.person === voter.person);
  const origin = { person: voter.person, madeBy };
  const similar =
    vote.decision === 'deny' ? undefined : votes.find((earlier) => !areDifferentPeople(earlier.origin, origin));
  const earlier = own ?? similar;
  if (earlier === undefined) return undefined;
  const account = earlier.actor === vote.actor ? '' : ` with the account \`${earlier.actor}\``;
  const message =
    own === undefined
      ? `this vote and the vote of \`${earlier.actor}\` may come from one person, who made a sign-in link for the other; another person is needed, or a link that another admin makes`
      : `this person has voted${account}; another person is needed`;
  return refused('already-voted', message, {
    by: earlier.actor,
    decision: earlier.decision,
    at: earlier.at.toISOString(),
  });
}

/**
 * The maker of a token has held its secret, so an approval by a token of another account may come from the maker. Where two people must
 * agree, or where the maker proposed it, one person could agree with themselves that way. A denial only stops and stays open to every token.
 */
async function borrowedVote(
  tx: Sql,
  proposal: ProposalRow,
  proposer: string | undefined,
  voter: Voter,
  vote: DecideProposal,
): Promise<Decided | undefined> {
  if (vote.tokenMadeBy === undefined || vote.decision === 'deny') return undefined;
  const maker = vote.tokenMadeBy === null ? undefined : (await readVoter(tx, vote.tokenMadeBy))?.person;
  if (maker === voter.person) return undefined;
  if (proposal.quorum < 2 && maker !== undefined && maker !== proposer) return undefined;
  return refused(
    'service-vote',
    `expected a vote by the person \`${voter.person}\`, found a token that \`${vote.tokenMadeBy ?? 'an unknown account'}\` made; sign in with a link instead`,
  );
}

async function count(
  tx: Sql,
  deps: ActingDeps,
  proposal: ProposalRow,
  action: ActionRow,
  vote: DecideProposal,
): Promise<Decided> {
  const who = { actor: vote.actor, origin: ORIGINS[vote.source] };
  const votes = await countPeopleFor(tx, proposal.id);
  await auditAction(tx, action, `proposal.${vote.decision}`, who, {
    proposal: proposal.id,
    digest: proposal.digest,
    votes,
    quorum: proposal.quorum,
    ...(credentialMaker(vote) === null ? {} : { credentialMadeBy: credentialMaker(vote) }),
  });
  if (vote.decision === 'deny') {
    await settleProposal(tx, proposal.id, 'Denied');
    await moveAction(tx, action.id, 'AwaitingApproval', 'Rejected');
    await deps.incidents.transition(tx, {
      ...who,
      incidentId: action.incidentId,
      edge: 'I11',
      reason: 'denied',
      escalationReason: 'Denied',
      data: { action: action.id, proposal: proposal.id },
    });
    return { kind: 'voted', proposal: { id: proposal.id, state: 'Denied' }, votes, quorum: proposal.quorum };
  }
  if (votes < proposal.quorum)
    return { kind: 'voted', proposal: { id: proposal.id, state: 'Open' }, votes, quorum: proposal.quorum };
  await settleProposal(tx, proposal.id, 'Approved');
  await moveAction(tx, action.id, 'AwaitingApproval', 'Approved');
  await nudge(tx, 'admit');
  return { kind: 'voted', proposal: { id: proposal.id, state: 'Approved' }, votes, quorum: proposal.quorum };
}

async function switchedOff(tx: Sql, deps: ActingDeps, action: ActionRow): Promise<Decided | undefined> {
  if (action.request === undefined) return undefined;
  const verdict = await deps.switches.lockedVerdict(tx, action.request.type);
  if (verdict.emergencyStop.on) return refused('switched-off', verdict.emergencyStop.why);
  const mode = safestMode(verdict.limits);
  return modeAtLeast(mode.mode, 'approve')
    ? undefined
    : refused('switched-off', `the mode is ${mode.mode}: ${mode.why}`);
}

/** Who was first, with what, and when; a proposal that was replaced points at its successor. */
async function alreadySettled(tx: Sql, proposal: ProposalRow): Promise<Decided> {
  const latest = await latestProposal(tx, proposal.action_id);
  if (proposal.state === 'Superseded')
    return refused(
      'target-changed',
      `${proposal.void_reason ?? 'the proposal was replaced'}; a newer revision exists`,
      {
        state: proposal.state,
        reason: proposal.void_reason,
        newProposalId: latest?.id ?? null,
        newDigest: latest?.digest ?? null,
        delta: deltaBetween(proposal, latest),
      },
    );
  const [vote] = await tx.query<{ actor: string; at: Date }>(
    `SELECT actor, at FROM approvals WHERE proposal_id = $1 AND decision = $2 ORDER BY at DESC, id DESC LIMIT 1`,
    [proposal.id, proposal.state === 'Denied' ? 'deny' : 'approve'],
  );
  const decided = proposal.state === 'Approved' || proposal.state === 'Denied';
  return refused('already-decided', `the proposal is ${proposal.state.toLowerCase()}`, {
    state: proposal.state,
    by: decided ? (vote?.actor ?? null) : null,
    at: (decided ? vote?.at : proposal.settled_at)?.toISOString() ?? null,
    reason: proposal.void_reason,
  });
}

function deltaBetween(older: ProposalRow, newer: ProposalRow | undefined): readonly unknown[] {
  const [was, is] = [older.dry_run?.shown, newer?.dry_run?.shown];
  return was === undefined || is === undefined ? [] : specDiff({ spec: was }, { spec: is });
}

function refused(reason: DecideRefusal, message: string, details?: Readonly<Record<string, unknown>>): Decided {
  return { kind: 'refused', reason, message, ...(details === undefined ? {} : { details }) };
}
