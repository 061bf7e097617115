import { planInverse } from '@hephaisto/core/action/catalogue';
import type { Inverse, KubeWrite } from '@hephaisto/core/action/types';
import type { Sql } from '@hephaisto/core/ports/database';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';
import { unanswered } from '@hephaisto/policy/decide';
import { MOMENTARY_ONCE_DECIDED, STABILITY_GATES } from '@hephaisto/policy/gate';
import { moveAction, readAction } from '../../act/action-row.ts';
import { isNotNow, movedAttempts, outcomeOf, settleAttempt, startAttempt } from '../../act/attempts.ts';
import { commit } from '../../act/commit.ts';
import type { ActingDeps } from '../../act/deps.ts';
import { type DryRun, dryRun, movedSince } from '../../act/dry-run.ts';
import { type Judgement, judge, judgeAgain } from '../../act/judge.ts';
import { approvalOf, latestProposal, removesOf } from '../../act/proposal.ts';
import { stampsOf } from '../../act/stamps.ts';
import { storedInverse } from '../../act/stored-inverse.ts';
import type { HeldLease } from '../../act/under-lease.ts';
import { escalateFromActing, finishExecuted, mirrorEvent, type TypedAction } from './endings.ts';
import { settleAnswered } from './late-answer.ts';
import { readBackAction } from './read-back.ts';
import { inRounds, MOST_ROUNDS, type Step } from './rounds.ts';

/** Carries an admitted action to its outcome. True when it got anywhere. */
export async function execute(deps: ActingDeps, held: HeldLease, action: TypedAction): Promise<boolean> {
  const ended = await inRounds(deps, held, action.id, {
    phase: 'execute',
    round: (now) => attempt(deps, held, now),
    roundsBefore: await movedAttempts(deps.db, action.id),
    lostAnswer: (attemptId, message) => lostAnswer(deps, held, action, attemptId, message),
  });
  if (ended !== 'moved') return ended;
  const message = `the target moved under the call ${MOST_ROUNDS} times`;
  await refuse(deps, held, await fresh(deps, action), 'target_moved', message);
  return true;
}

async function fresh(deps: ActingDeps, action: TypedAction): Promise<TypedAction> {
  const now = await readAction(deps.db, action.id);
  return now === undefined ? action : { ...now, request: action.request };
}

/** One round: fresh facts, gates, dry run, and the same call for real. */
async function attempt(deps: ActingDeps, held: HeldLease, action: TypedAction): Promise<Step> {
  const proposal = await latestProposal(deps.db, action.id);
  const approved = proposal?.state === 'Approved' ? proposal : undefined;
  const approval = approved === undefined ? { by: [], covers: [] } : await approvalOf(deps.db, approved);
  const judged = await judge(deps, action, { approval });
  const admittedSpec = approved?.target_spec_sha256 ?? action.preState?.specSha256;
  const closed = closedNow(action.incidentState, admittedSpec, judged);
  if (closed !== undefined) {
    if (closed.passing && action.stateAgeMs < deps.settings.patienceMs) return 'later';
    await refuse(deps, held, action, closed.reason, closed.message);
    return 'done';
  }
  const stamps = stampsOf(action, approval.by);
  const dry = await dryRun(deps, held, action, judged, stamps, 'act');
  if (dry.kind !== 'accepted') return await withoutDryRun(deps, held, action, dry);
  await commit(deps, held, action, async (tx) => {
    await dry.settle(tx);
    // Only what a person has seen is removed; without a person it is what was read just now.
    const removes = approved === undefined ? judged.facts.removes : removesOf(approved);
    const known = { inverse: dry.inverse, preState: { ...action.preState, ...judged.facts.before, removes } };
    if (action.state === 'Admitted') await moveAction(tx, action.id, 'Admitted', 'DryRunOk', known);
    else await storeBefore(tx, action.id, known);
  });
  await deps.faults.hit('act:dry-run-ended');
  return await send(
    deps,
    held,
    action.state === 'Admitted' ? 'DryRunOk' : action.state,
    action,
    judged,
    dry.write,
    admittedSpec,
  );
}

async function storeBefore(
  tx: Sql,
  id: string,
  known: { readonly inverse: Inverse; readonly preState: object },
): Promise<void> {
  await tx.execute('UPDATE actions SET inverse = $2::jsonb, pre_state = $3::jsonb WHERE id = $1', [
    id,
    storedInverse(known.inverse),
    cleanJsonText(known.preState),
  ]);
}

interface Closed {
  readonly reason: string;
  readonly message: string;
  /** A moment later it may not close any more. */
  readonly passing: boolean;
}

/**
 * What closes the way right before the call. The cooldown and the budget were booked by this very action at its admission, so only what may
 * have moved since is asked: the object, the stop, the mode and the state of the world.
 */
function closedNow(
  incidentState: string,
  admittedSpec: string | undefined,
  { facts, hashes, decision, input }: Judgement,
): Closed | undefined {
  // A person who closed the incident has no use for what was not sent yet.
  if (incidentState !== 'Acting') return lasting('incident_over', `the incident is ${incidentState}`);
  if (facts.targetGone)
    return lasting('target_moved', 'the target no longer exists, or another object has taken its name');
  if (!facts.target.known || hashes === undefined) {
    const message = facts.target.known ? 'the target could not be read' : facts.target.why;
    return { reason: 'unreadable', message, passing: true };
  }
  if (admittedSpec !== undefined && hashes.spec !== admittedSpec)
    return lasting('target_moved', 'the spec of the target is no longer the one that was admitted');
  const denying = decision.gates.filter(({ verdict }) => verdict === 'deny');
  const asking = unanswered(decision.gates, input.approval).filter(({ gate }) => STABILITY_GATES.includes(gate));
  const closed = [...denying, ...asking];
  const first = closed.find(({ code }) => code !== 'unreadable') ?? closed[0];
  if (first !== undefined) {
    const passing = closed.every(({ code }) => code !== 'ok' && MOMENTARY_ONCE_DECIDED.includes(code));
    return { reason: first.code, message: closed.map(({ message }) => message).join('; '), passing };
  }
  // A budget that others have used up since does not undo an admission; a mode or a latch that was set since does.
  const alone = input.approval.by.length === 0;
  const needsPerson = decision.gates.find(
    ({ gate, verdict }) => verdict === 'ask' && (gate === 'ModeAsks' || gate === 'RunawayLatch'),
  );
  if (!alone || needsPerson === undefined) return undefined;
  return lasting(needsPerson.code, needsPerson.message);
}

function lasting(reason: string, message: string): Closed {
  return { reason, message, passing: false };
}

async function withoutDryRun(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  dry: Exclude<DryRun, { kind: 'accepted' }>,
): Promise<Step> {
  if (dry.kind === 'impossible') {
    await refuse(deps, held, action, dry.reason, dry.message);
    return 'done';
  }
  const again = dry.kind === 'moved';
  const later = dry.kind === 'refused' && dry.passing && action.stateAgeMs < deps.settings.patienceMs;
  await commit(deps, held, action, async (tx) => {
    await dry.settle(tx);
    if (again || later) return;
    const { state } = action;
    // A call that was refused once already has no dry run to fail; it ends as what it is, not done.
    if (state === 'Executing') await moveAction(tx, action.id, 'Executing', 'Failed', { reasons: ['dry_run_refused'] });
    else await moveAction(tx, action.id, state, 'DryRunFailed', { reasons: ['dry_run_refused'] });
    await escalateFromActing(tx, deps, action, 'ActionFailed', 'dry_run_refused', { message: dry.message });
  });
  await deps.faults.hit('act:dry-run-failed');
  const result = action.state === 'Executing' ? 'failed' : 'dry_run_failed';
  if (!again && !later) deps.metrics.count('actions_total', { action: action.type, result });
  return again ? 'again' : later ? 'later' : 'done';
}

async function refuse(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  reason: string,
  message: string,
): Promise<void> {
  await commit(deps, held, action, async (tx) => {
    await moveAction(tx, action.id, action.state, 'Refused', { reasons: [reason] });
    await escalateFromActing(tx, deps, action, 'StabilityGate', reason, { message });
  });
  await deps.faults.hit('act:refused');
  deps.metrics.count('actions_total', { action: action.type, result: 'refused' });
}

/**
 * The call. Nothing stands between its row's commit and its sending but the question whether we may still be sure of the lease. The dry run
 * may have taken long, so the transaction asks once more, with the switches and the incident held, what people may have said meanwhile.
 */
async function send(
  deps: ActingDeps,
  held: HeldLease,
  state: TypedAction['state'],
  action: TypedAction,
  judged: Judgement,
  write: KubeWrite,
  admittedSpec: string | undefined,
): Promise<Step> {
  await held.renew();
  const started = await commit(deps, held, action, async (tx) => {
    const verdict = await deps.switches.lockedVerdict(tx, action.request.type);
    const again = judgeAgain(judged, verdict, deps.policy.current());
    const [incident] = await tx.query<{ state: string }>('SELECT state FROM incidents WHERE id = $1', [
      action.incidentId,
    ]);
    const closed = closedNow(incident?.state ?? 'gone', admittedSpec, again);
    if (closed !== undefined) return { kind: 'closed' as const, ...closed };
    if (state === 'DryRunOk') await moveAction(tx, action.id, 'DryRunOk', 'Executing');
    const attempt = await startAttempt(tx, {
      id: deps.ids.uuid(),
      actionId: action.id,
      phase: 'execute',
      epoch: held.lease.epoch,
      write,
      gates: again.decision.gates,
    });
    return { kind: 'started' as const, id: attempt.id };
  });
  await deps.faults.hit('act:execute-started');
  if (started.kind === 'closed') {
    await refuse(deps, held, { ...action, state }, started.reason, started.message);
    return 'done';
  }
  held.assertFresh();
  const answer = await deps.writer.send(write, { dryRun: false });
  await deps.faults.hit('act:execute-sent');
  if (answer.kind === 'ok') {
    await settleAnswered(deps, action, started.id, () =>
      executed(deps, held, action, judged, started.id, write, answer.value, judged.input.approval.by),
    );
    return 'done';
  }
  return await notAnswered(deps, held, action, judged, started.id, answer);
}

async function executed(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  judged: Judgement,
  attemptId: string,
  write: KubeWrite,
  after: Readonly<Record<string, unknown>>,
  approvedBy: readonly string[],
): Promise<void> {
  await commit(deps, held, action, async (tx) => {
    await settleAttempt(tx, attemptId, 'succeeded', { status: 200, message: 'done' });
    const whole = write.verb === 'patch' && write.subresource === undefined && judged.facts.target.known;
    // Taken from the real answer: something between us and the store may have changed what a dry run did not see.
    const inverse =
      whole && judged.facts.target.known
        ? { inverse: planInverse(action.request, judged.facts.target.value, after) }
        : {};
    await finishExecuted(tx, deps, action, 'Executing', {
      ...inverse,
      postState: { resourceVersion: versionOf(after), attempt: attemptId },
    });
  });
  await deps.faults.hit('act:executed');
  deps.metrics.count('actions_total', { action: action.type, result: 'executed' });
  await mirrorEvent(deps, action, attemptId, { reason: 'RemediationApplied', approvedBy });
}

async function notAnswered(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  judged: Judgement,
  attemptId: string,
  failure: KubeFailure,
): Promise<Step> {
  const outcome = outcomeOf(failure);
  if (outcome === 'unknown')
    return (await lostAnswer(deps, held, action, attemptId, failure.message)) ? 'done' : 'later';
  const moved = outcome === 'rejected' && (await movedSince(deps, judged, failure));
  // A disruption budget that allows no eviction now, or an overloaded server, is asked again; everything is checked anew before.
  const later = isNotNow(failure) && action.stateAgeMs < deps.settings.patienceMs;
  await commit(deps, held, action, async (tx) => {
    await settleAttempt(tx, attemptId, outcome, failure);
    if (later) return;
    // Certainly not applied: the next round reads the object anew, and refuses if its spec is another one.
    if (moved) return;
    await moveAction(tx, action.id, 'Executing', 'Failed', { reasons: [failure.reason] });
    await escalateFromActing(tx, deps, action, 'ActionFailed', failure.reason, {
      message: failure.message,
      status: failure.status ?? null,
    });
  });
  await deps.faults.hit(moved || later ? 'act:execute-rejected' : 'act:failed');
  if (later) return 'later';
  if (!moved) deps.metrics.count('actions_total', { action: action.type, result: 'failed' });
  return moved ? 'again' : 'done';
}

/** We sent, or may have sent, and do not know. From here only reading leads on. */
async function lostAnswer(
  deps: ActingDeps,
  held: HeldLease,
  action: TypedAction,
  attemptId: string,
  message: string,
): Promise<boolean> {
  await commit(deps, held, action, async (tx) => {
    await settleAttempt(tx, attemptId, 'unknown', { message });
    await moveAction(tx, action.id, 'Executing', 'Unknown');
  });
  await deps.faults.hit('act:unknown');
  deps.metrics.count('actions_total', { action: action.type, result: 'unknown' });
  const now = await readAction(deps.db, action.id);
  return now?.request === undefined ? false : await readBackAction(deps, held, { ...now, request: now.request });
}

function versionOf(object: Readonly<Record<string, unknown>>): string | null {
  const metadata = object.metadata;
  const version =
    metadata !== null && typeof metadata === 'object' && 'resourceVersion' in metadata
      ? metadata.resourceVersion
      : undefined;
  return typeof version === 'string' ? version : null;
}
