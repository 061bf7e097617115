import { type SpecChange, specDiff } from '@hephaisto/core/action/spec-diff';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import { cleanJson } from '@hephaisto/core/signal/clean-text';
import { type ActionRow, readAction } from './action-row.ts';
import { commit } from './commit.ts';
import { endUnsupported } from './dead-letter.ts';
import type { ActingDeps } from './deps.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { type Judgement, judge } from './judge.ts';
import { isInForce } from './policy-in-force.ts';
import { basisOf, draftProposal, type InsertedProposal, type ProposalRow, readProposalRow } from './proposal.ts';
import { lockOpen, supersede, voidProposal } from './settle-open.ts';
import { stampsOfProposal } from './stamps.ts';
import { type HeldLease, underLease } from './under-lease.ts';

export type Recheck =
  /** Everything that was shown still holds. */
  | { readonly kind: 'stands' }
  /** Nothing that was read speaks against it, but a fact could not be read. The caller compares again later. */
  | { readonly kind: 'unread' }
  | {
      readonly kind: 'superseded';
      readonly next: InsertedProposal;
      readonly reason: string;
      readonly message: string;
      readonly delta: readonly SpecChange[];
    }
  | { readonly kind: 'void'; readonly reason: string; readonly message: string; readonly delta: readonly SpecChange[] }
  /** It moved, and what it is now could not be shown yet: it goes on moving, the server did not answer, or another replica is at it. */
  | {
      readonly kind: 'moving';
      readonly reason: string;
      readonly message: string;
      readonly delta: readonly SpecChange[];
    }
  /** Somebody has settled it. */
  | { readonly kind: 'elsewhere' };

type Moved = { readonly kind: 'impossible' | 'changed'; readonly reason: string; readonly message: string };

/**
 * Looks again at what an open proposal rests on: target, policy, switches. A surrounding that moved makes a new revision; a finding's basis
 * that moved, or a verdict that is now a denial, makes it void. What cannot be read changes nothing: the same is asked again before acting.
 */
export async function recheckProposal(deps: ActingDeps, proposalId: string): Promise<Recheck> {
  const proposal = await readProposalRow(deps.db, proposalId);
  if (proposal?.state !== 'Open') return { kind: 'elsewhere' };
  const action = await readAction(deps.db, proposal.action_id);
  if (action === undefined) return { kind: 'elsewhere' };
  if (action.request === undefined) return await endUnreadable(deps, action);
  const judged = await judge(deps, { ...action, request: action.request });
  const moved = movedFrom(proposal, judged);
  if (moved === undefined) return { kind: isReadWhole(judged) ? 'stands' : 'unread' };
  if (moved.reason === 'policy_moved' && !(await isInForce(deps.db, judged.loaded.hash))) return { kind: 'stands' };
  const result = await underLease(deps, 'action', action.id, (held) =>
    settleMoved(deps, held, proposal, { ...action, request: judged.request }, judged, moved),
  );
  return result ?? moving(moved, deltaOf(proposal, judged));
}

async function endUnreadable(deps: ActingDeps, action: ActionRow): Promise<Recheck> {
  await underLease(deps, 'action', action.id, (held) => endUnsupported(deps, held, action.id, action.incidentId));
  return { kind: 'elsewhere' };
}

function isReadWhole({ hashes, decision }: Judgement): boolean {
  return hashes !== undefined && decision.gates.every(({ gate, code }) => code !== 'unreadable' || !LASTING.has(gate));
}

/** What moved since the proposal was shown; `undefined` when nothing did, or nothing can be said. */
export function movedFrom(
  proposal: ProposalRow,
  { facts, hashes, decision, loaded, input }: Judgement,
): Moved | undefined {
  if (facts.targetGone)
    return {
      kind: 'impossible',
      reason: 'target_gone',
      message: 'the target no longer exists, or another object has taken its name',
    };
  if (hashes !== undefined && hashes.basis !== basisOf(proposal))
    return {
      kind: 'impossible',
      reason: 'target_moved',
      message: 'what the finding rests on has changed, so the action no longer follows from it',
    };
  if (input.emergencyStop.on) return { kind: 'impossible', reason: 'emergency_stop', message: input.emergencyStop.why };
  const denied = decision.gates.filter(
    ({ verdict, code, gate }) => verdict === 'deny' && code !== 'unreadable' && LASTING.has(gate),
  );
  if (denied[0] !== undefined)
    return { kind: 'impossible', reason: denied[0].code, message: denied.map(({ message }) => message).join('; ') };
  if (hashes !== undefined && hashes.spec !== proposal.target_spec_sha256)
    return { kind: 'changed', reason: 'target_moved', message: 'the target was changed since the proposal was made' };
  if (loaded.hash !== proposal.policy_hash)
    return { kind: 'changed', reason: 'policy_moved', message: 'the policy was changed since the proposal was made' };
  return undefined;
}

/**
 * Gates that a wait does not open again. Those on the state of the moment are left to the check right before the call: a proposal must not die of a rollout that
 * ends a minute later.
 */
const LASTING: ReadonlySet<string> = new Set([
  'ForeignCluster',
  'SelfProtection',
  'UpstreamCause',
  'NamespaceNotAllowed',
  'NamespaceLabel',
  'KindNotEnabled',
  'ProtectedObject',
  'GitOpsSelfHeal',
  'ModeTooLow',
  'Quarantine',
  'RevisionInFlight',
  'OutOfBounds',
]);

async function settleMoved(
  deps: ActingDeps,
  held: HeldLease,
  proposal: ProposalRow,
  action: ActionRow & { readonly request: AnyActionRequest },
  judged: Judgement,
  moved: Moved,
): Promise<Recheck> {
  const delta = deltaOf(proposal, judged);
  if (moved.kind === 'impossible') return await makeVoid(deps, proposal, moved, delta);
  const { hashes } = judged;
  if (hashes === undefined) return moving(moved, delta);
  const dry = await dryRun(deps, held, action, judged, stampsOfProposal(action), 'admit');
  // An object that keeps moving, or a server that does not answer, is asked again at the next look.
  if (dry.kind === 'moved' || (dry.kind === 'refused' && dry.passing))
    return await close(deps, dry, moving(moved, delta));
  if (dry.kind !== 'accepted')
    return await makeVoid(deps, proposal, { reason: 'no_longer_possible', message: dry.message }, delta, dry);
  const draft = draftProposal(action, { ...judged, hashes }, dry);
  const next = await commit(deps, held, action, async (tx) => {
    await dry.settle(tx);
    const open = await lockOpen(tx, proposal);
    if (open?.proposal.state !== 'Open' || open.action.incidentState !== 'AwaitingApproval') return undefined;
    return await supersede(tx, deps, open.proposal, open.action, draft, { ...moved, delta });
  });
  await deps.faults.hit('admit:superseded');
  return next === undefined
    ? { kind: 'elsewhere' }
    : { kind: 'superseded', next, reason: moved.reason, message: moved.message, delta };
}

async function close(deps: ActingDeps, dry: DryRun & { kind: 'moved' | 'refused' }, found: Recheck): Promise<Recheck> {
  await deps.db.transaction((tx) => dry.settle(tx));
  await deps.faults.hit('admit:recheck-closed');
  return found;
}

function moving({ reason, message }: Moved, delta: readonly SpecChange[]): Recheck {
  return { kind: 'moving', reason, message, delta };
}

async function makeVoid(
  deps: ActingDeps,
  proposal: ProposalRow,
  why: { readonly reason: string; readonly message: string },
  delta: readonly SpecChange[],
  dry?: DryRun,
): Promise<Recheck> {
  const done = await deps.db.transaction(async (tx) => {
    if (dry?.kind === 'refused') await dry.settle(tx);
    const open = await lockOpen(tx, proposal);
    return (
      open?.proposal.state === 'Open' && (await voidProposal(tx, deps, open.proposal, open.action, { ...why, delta }))
    );
  });
  await deps.faults.hit('admit:void');
  return done ? { kind: 'void', ...why, delta } : { kind: 'elsewhere' };
}

/** What changed, field by field, between what was shown and what is there now. */
function deltaOf(proposal: ProposalRow, { hashes }: Judgement): readonly SpecChange[] {
  const shown = proposal.dry_run?.shown;
  return shown === undefined || hashes === undefined
    ? []
    : specDiff({ spec: shown }, { spec: cleanJson(hashes.fields) });
}
