import { pausedRollout } from '../facts/paused-rollout.ts';
import type { Cause, Certainty, ClaimedFinding } from '../finding/finding.ts';
import { pausedMessage } from '../plan/propose.ts';
import { quote } from './quote.ts';
import { judgeRollout } from './rollout.ts';
import type { Rule } from './rule.ts';
import { applicationCrash } from './rules/application-crash.ts';
import { badReplica } from './rules/bad-replica.ts';
import { configMissing } from './rules/config-missing.ts';
import { imageMissing } from './rules/image-missing.ts';
import { jobFailed } from './rules/job-failed.ts';
import { memoryLimit } from './rules/memory-limit.ts';
import { nodePressure } from './rules/node-pressure.ts';
import { podCreationRefused } from './rules/pod-creation-refused.ts';
import { podStartHeld } from './rules/pod-start-held.ts';
import { podsNotReady } from './rules/pods-not-ready.ts';
import { rolloutChange } from './rules/rollout-change.ts';
import { rolloutPaused } from './rules/rollout-paused.ts';
import { unmatchedSelector } from './rules/unmatched-selector.ts';
import { unschedulable } from './rules/unschedulable.ts';
import { upstream } from './rules/upstream.ts';
import type { CaseView } from './view.ts';

/** In the order in which findings of equal certainty count. A cause elsewhere goes before a change here only by being more certain. */
export const RULES: readonly Rule[] = [
  jobFailed,
  rolloutChange,
  configMissing,
  imageMissing,
  podCreationRefused,
  unschedulable,
  memoryLimit,
  upstream,
  badReplica,
  nodePressure,
  applicationCrash,
  podStartHeld,
  podsNotReady,
  unmatchedSelector,
  rolloutPaused,
];

const STRENGTH: Readonly<Record<Certainty, number>> = { proven: 3, likely: 2, possible: 1, not_established: 0 };

/** What the rules say of a case: the strongest finding first and primary, then the others, then what was tested and is not the case. */
export function diagnose(view: CaseView): readonly ClaimedFinding[] {
  const rollout = judgeRollout(view);
  const claims = RULES.flatMap((rule) => rule.evaluate({ view, rollout }))
    .filter(({ evidence }) => evidence.length > 0)
    .map((claim) => withPause(claim, view));
  const ranked = [...claims].sort((a, b) => STRENGTH[b.certainty] - STRENGTH[a.certainty]);
  return ranked.map((claim, index) => ({ ...claim, primary: index === 0 && claim.certainty !== 'not_established' }));
}

type TemplateCause = Extract<Cause, { kind: 'rollout-change' | 'memory-limit-too-low' | 'crash-application' }>;

function isTemplateCause(cause: Cause): cause is TemplateCause {
  return cause.kind === 'rollout-change' || cause.kind === 'memory-limit-too-low' || cause.kind === 'crash-application';
}

/** A cause that a change of the template would repair says that the rollout is paused: such a change would take no effect. */
function withPause(claim: ClaimedFinding, view: CaseView): ClaimedFinding {
  const paused = pausedRollout(view.workload?.value);
  const { cause } = claim;
  if (paused === undefined || !isTemplateCause(cause)) return claim;
  return {
    ...claim,
    statement: `${claim.statement} Note: ${pausedMessage(paused)}.`,
    cause: { ...cause, paused },
    evidence: [...claim.evidence, ...quote(view.workload, 'paused yes')],
  };
}
