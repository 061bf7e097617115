/**
 * Every place right behind a commit of the line, or between a call to the outside and the commit that notes it, where a test may stop the
 * process. Each name stands in the code once, so that a run which was stopped there says which commit it stopped behind. A commit without
 * one could never be shown to survive a crash.
 */
export const LINE_FAULT_POINTS = [
  'boot:seeded',
  'boot:cluster-registered',
  'ingest:stored',
  'ingest:cluster-named',
  'ingest:expanded',
  'ingest:part-recorded',
  'ingest:poisoned',
  'watch:recorded',
  'watch:sampled',
  'watch:health-counted',
  'dedupe:settled',
  'dedupe:set-aside',
  'incident:triaged',
  'sweep:parent-over',
  'sweep:quiet',
  'sweep:no-signal',
  'sweep:storms',
  'sweep:pruned-signals',
  'sweep:pruned-intake',
  'sweep:pruned-samples',
  'investigate:queued',
  'investigate:begun',
  'investigate:step-opened',
  'investigate:step-closed',
  'investigate:concluded',
  'investigate:failed',
  'investigate:orphans-stopped',
  'investigate:reopened',
  'plan:committed',
  'plan:linked',
  'admit:quarantine-asked',
  'admit:unsupported',
  'admit:overtaken',
  'admit:denied',
  'admit:allowed',
  'admit:allowed-refused',
  'admit:dry-run-started',
  'admit:dry-run-sent',
  'admit:dry-run-closed',
  'admit:dry-run-failed',
  'admit:dry-run-shown',
  'admit:proposed',
  'admit:voted',
  'admit:admitted',
  'admit:refused',
  'admit:expired',
  'admit:recheck-closed',
  'admit:revalidated',
  'admit:superseded',
  'admit:void',
  'admit:revise-refused',
  'admit:revised',
  'act:refused',
  'act:dry-run-started',
  'act:dry-run-sent',
  'act:dry-run-ended',
  'act:dry-run-failed',
  'act:execute-started',
  'act:execute-sent',
  'act:execute-rejected',
  'act:executed',
  'act:answered-late',
  'act:failed',
  'act:unknown',
  'act:read-back',
  'act:event-sent',
  'act:event-mirrored',
  'act:undo-started',
  'act:undo-sent',
  'act:undo-applied',
  'act:undo-rejected',
  'act:undo-postponed',
  'act:undo-unknown',
  'act:undo-read-back',
  'act:undo-ended',
  'act:failure-counted',
  'act:dead-letter',
  'act:unsupported',
  'verify:checked',
  'notify:reaped',
  'notify:claimed',
  'notify:sent',
  'notify:settled',
  'command:incident-ack',
  'command:incident-assign',
  'command:incident-close',
  'command:incident-note',
  'command:incident-reinvestigate',
  'switch:set',
] as const;
export type LineFaultPoint = (typeof LINE_FAULT_POINTS)[number];

/** The same between the commits of a call to a model. */
export const MODEL_FAULT_POINTS = [
  'model:call-started',
  'model:answer-heard',
  'model:call-finished',
  'model:calls-reaped',
  'plan:turn-begun',
  'plan:turn-ended',
  'command:investigation-stop',
] as const;

/** Between the commits of a pod's removal. Only a StatefulSet needs one, and the simulated cluster runs none. */
export const REMOVAL_FAULT_POINTS = [
  'act:removal-started',
  'act:removal-settled',
  'act:removal-lost',
  'act:removal-read-back',
  'act:removal-ended',
] as const;

/** Behind commits that only a refused watch or a message that cannot be read brings about. No crash plot brings them about. */
export const RARE_FAULT_POINTS = ['watch:conditions-marked', 'notify:postponed'] as const;

export type FaultPoint =
  | LineFaultPoint
  | (typeof MODEL_FAULT_POINTS)[number]
  | (typeof REMOVAL_FAULT_POINTS)[number]
  | (typeof RARE_FAULT_POINTS)[number];
