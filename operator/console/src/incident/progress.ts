import type { Action } from '@hephaisto/core/report/action';

export interface ProgressStep {
  readonly name: string;
  readonly state: 'done' | 'now' | 'failed' | 'unknown' | 'later';
}

/** How far an action is, for whoever has just approved it. `says` is a sentence: what it waits for, or how it ended. */
export interface Progress {
  readonly steps: readonly ProgressStep[];
  readonly says: string;
  readonly over: boolean;
}

const NAMES = ['Approved', 'Admitted', 'Applied', 'Settling', 'Verified'] as const;

type Place = readonly [at: number, state: ProgressStep['state'], says: string];

const PLACES: Readonly<Record<Action['state'], Place | undefined>> = {
  Proposed: undefined,
  Denied: undefined,
  AwaitingApproval: undefined,
  Rejected: undefined,
  ApprovalExpired: undefined,
  Unsupported: undefined,
  Withdrawn: undefined,
  Approved: [1, 'now', 'Waiting for the last check of policy and target before it is admitted'],
  Refused: [1, 'failed', 'The last check refused it, and nothing was changed'],
  Admitted: [2, 'now', 'Waiting for a dry run, and then the one call to the API server'],
  DryRunOk: [2, 'now', 'Waiting for the one call to the API server'],
  DryRunFailed: [2, 'failed', 'The API server would refuse it, and nothing was changed'],
  Executing: [2, 'now', 'Waiting for the API server’s answer'],
  Failed: [2, 'failed', 'The API server refused it'],
  Unknown: [
    2,
    'unknown',
    'Waiting for a read of the object: the answer was lost, so whether it was applied is being checked',
  ],
  Executed: [3, 'now', 'Waiting for the workload to settle before it is checked'],
  Verifying: [3, 'now', 'Waiting for the next check'],
  Verified: [5, 'done', 'It helped'],
  VerificationFailed: [4, 'failed', 'Waiting for the undo'],
  RollingBack: [4, 'failed', 'Waiting for the undo to be carried out'],
  RolledBack: [4, 'failed', 'It did not help and was undone'],
  RollbackFailed: [4, 'failed', 'It did not help, and the undo failed; a person has to look'],
  RollbackUnknown: [4, 'failed', 'Waiting for a read of the object: whether the undo was applied is being checked'],
  Inconclusive: [4, 'unknown', 'It could not be told whether it helped; a person has to look'],
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
  const [at, now, says] = place;
  return {
    steps: NAMES.map((name, index) => ({ name, state: index < at ? 'done' : index === at ? now : 'later' })),
    says,
    over: OVER.includes(state),
  };
}

/** The check that is due next, of the action itself or of its undo. */
export function nextCheck(action: Pick<Action, 'verifications'>): Action['verifications'][number] | undefined {
  return action.verifications.find((check) => check.result === null);
}

const QUESTION_WORDS: Readonly<Record<string, string>> = {
  obvious_break: 'nothing plainly worse',
  converged: 'settled',
  came_back: 'symptom gone and not back',
};

/** What a check asks, in words. */
export function questionWord(question: string): string {
  return QUESTION_WORDS[question] ?? question.replaceAll('_', ' ');
}
