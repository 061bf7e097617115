import type { Action } from '@hephaisto/core/report/action';

export interface ProgressStep {
  readonly name: string;
  readonly state: 'done' | 'now' | 'failed' | 'unknown' | 'later';
}

/** How far an action is, for whoever has just approved it. `waitsFor` says it in a sentence when a step takes its time. */
export interface Progress {
  readonly steps: readonly ProgressStep[];
  readonly waitsFor: string;
  readonly over: boolean;
}

const NAMES = ['Approved', 'Admitted', 'Applied', 'Settling', 'Verified'] as const;

type Place = readonly [at: number, state: ProgressStep['state'], waitsFor: string];

const PLACES: Readonly<Record<Action['state'], Place | undefined>> = {
  Proposed: undefined,
  Denied: undefined,
  AwaitingApproval: undefined,
  Rejected: undefined,
  ApprovalExpired: undefined,
  Unsupported: undefined,
  Withdrawn: undefined,
  Approved: [1, 'now', 'the last check of policy and target before it is admitted'],
  Refused: [1, 'failed', 'nothing: the last check refused it, and nothing was changed'],
  Admitted: [2, 'now', 'a dry run, and then the one call to the API server'],
  DryRunOk: [2, 'now', 'the one call to the API server'],
  DryRunFailed: [2, 'failed', 'nothing: the API server would refuse it, and nothing was changed'],
  Executing: [2, 'now', 'the API server’s answer'],
  Failed: [2, 'failed', 'nothing: the API server refused it'],
  Unknown: [2, 'unknown', 'a read of the object: the answer was lost, so whether it was applied is being checked'],
  Executed: [3, 'now', 'the workload to settle before it is checked'],
  Verifying: [3, 'now', 'the next check'],
  Verified: [5, 'done', 'nothing: it helped'],
  VerificationFailed: [4, 'failed', 'the undo'],
  RollingBack: [4, 'failed', 'the undo to be carried out'],
  RolledBack: [4, 'failed', 'nothing: it did not help and was undone'],
  RollbackFailed: [4, 'failed', 'a person: it did not help, and the undo failed'],
  RollbackUnknown: [4, 'failed', 'a read of the object: whether the undo was applied is being checked'],
  Inconclusive: [4, 'unknown', 'a person: it could not be told whether it helped'],
};

/** States in which nothing more will happen by itself. */
const OVER: readonly Action['state'][] = [
  'Refused',
  'DryRunFailed',
  'Failed',
  'Verified',
  'RolledBack',
  'RollbackFailed',
  'Inconclusive',
];

/** Undefined while nobody has approved anything. */
export function progressOf(state: Action['state']): Progress | undefined {
  const place = PLACES[state];
  if (place === undefined) return undefined;
  const [at, now, waitsFor] = place;
  return {
    steps: NAMES.map((name, index) => ({ name, state: index < at ? 'done' : index === at ? now : 'later' })),
    waitsFor,
    over: OVER.includes(state),
  };
}

/** The check that is due next, of the action itself or of its undo. */
export function nextCheck(action: Pick<Action, 'verifications'>): Action['verifications'][number] | undefined {
  return action.verifications.find((check) => check.result === null);
}
