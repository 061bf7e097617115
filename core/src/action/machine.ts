import type { Edge } from '../incident/machine.ts';

/** The life of one action, from an accepted plan to a verified or undone change. Unknown: we sent and do not know; only readback leaves it. */
export const ACTION_STATES = [
  'Proposed',
  'Denied',
  'AwaitingApproval',
  'Approved',
  'Rejected',
  'ApprovalExpired',
  'Admitted',
  'Refused',
  'Unsupported',
  'DryRunOk',
  'DryRunFailed',
  'Executing',
  'Executed',
  'Failed',
  'Unknown',
  'Verifying',
  'Verified',
  'VerificationFailed',
  'RollingBack',
  'RolledBack',
  'RollbackFailed',
  'RollbackUnknown',
  'Inconclusive',
  'Withdrawn',
] as const;
export type ActionState = (typeof ACTION_STATES)[number];

function each(
  edge: string,
  froms: readonly (ActionState | '')[],
  tos: readonly ActionState[],
): readonly Edge<ActionState>[] {
  return froms.flatMap((from) => tos.map((to) => ({ edge, from, to })));
}

/** Every legal transition of an action; the database refuses every other pair. */
export const ACTION_EDGES: readonly Edge<ActionState>[] = [
  ...each('A1', [''], ['Proposed']),
  ...each('A2', ['Proposed'], ['Denied']),
  ...each('A3', ['Proposed'], ['Unsupported']),
  ...each('A4', ['Proposed'], ['AwaitingApproval']),
  ...each('A5', ['AwaitingApproval'], ['Approved', 'Rejected', 'ApprovalExpired']),
  ...each('A6', ['Proposed', 'Approved'], ['Admitted']),
  ...each('A7', ['Proposed', 'Approved'], ['Refused']),
  // The gate stands before every send: after a crash behind the dry run, and after a send that the server certainly refused, it may close too.
  ...each('A8', ['Admitted', 'DryRunOk', 'Executing'], ['Refused']),
  ...each('A9', ['Admitted'], ['DryRunOk', 'DryRunFailed']),
  ...each('A9', ['DryRunOk'], ['DryRunFailed']), // the dry run is made again after a crash, and may now be refused
  ...each('A10', ['DryRunOk'], ['Executing']),
  ...each('A11', ['Executing'], ['Executed', 'Failed']),
  ...each('A12', ['Executing'], ['Unknown']),
  ...each('A13', ['Unknown'], ['Executed', 'Failed']),
  ...each('A14', ['Executed'], ['Verifying']),
  ...each('A15', ['Verifying'], ['Verified', 'VerificationFailed', 'Inconclusive']),
  ...each('A16', ['VerificationFailed'], ['RollingBack']),
  ...each('A16', ['RollingBack'], ['RolledBack', 'RollbackFailed', 'RollbackUnknown']),
  ...each('A16', ['RollbackUnknown'], ['RollingBack', 'RolledBack', 'RollbackFailed']),
  ...each('A17', ['Rejected', 'ApprovalExpired', 'Refused', 'Withdrawn'], ['AwaitingApproval']),
  ...each('A18', ['AwaitingApproval'], ['Withdrawn']),
  ...each('A19', ['Proposed'], ['DryRunOk', 'DryRunFailed']),
];
