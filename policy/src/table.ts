import { ACTION_TYPES, type ActionType } from '@hephaisto/core/action/types';
import type { Gate } from './gate.ts';

/** Columns of the table: each kind of action, and the stored undo of any of them. */
export const SUBJECTS = [...ACTION_TYPES, 'Inverse'] as const;
export type Subject = ActionType | 'Inverse';

/** How much a violated gate weighs: it forbids, it needs a person, or it is not asked at all. */
export interface Cell {
  readonly weight: 'deny' | 'ask' | 'exempt';
  readonly reason: string;
}

/**
 * Which approvals lift an asking gate. `any`: it is about us, and a person's yes is the answer. `shown`: it is about the world, so only an
 * approval whose proposal showed this very gate asking covers it.
 */
export type Cover = 'any' | 'shown';

interface Row {
  readonly cover: Cover;
  readonly cells: Readonly<Record<Subject, Cell>>;
}

function row(cell: Cell, exceptions: Partial<Record<Subject, Cell>>, cover: Cover = 'shown'): Row {
  const cells = Object.fromEntries(SUBJECTS.map((subject) => [subject, exceptions[subject] ?? cell]));
  return { cover, cells: cells as Record<Subject, Cell> };
}

const deny = (reason: string): Cell => ({ weight: 'deny', reason });
const ask = (reason: string): Cell => ({ weight: 'ask', reason });
const exempt = (reason: string): Cell => ({ weight: 'exempt', reason });

const RESTORES = exempt('an undo only puts back what we changed, and waiting leaves the change that did not help');
const ENDS_ROLLOUT = exempt(
  'a rollback ends the rollout that is at fault; it must hit the revision that the finding names instead',
);
const NO_ROLLBACK = exempt('only a rollback and an undo depend on the revision in force');
const NOT_DECLARED = exempt('a restart changes nothing that a repository declares');
const ONE_POD = exempt('one pod is one pod, whatever the workload’s size');
const JOB = exempt('a job has no replicas that serve');
const ROLLS = exempt('the workload’s own strategy keeps pods serving while it rolls');

/**
 * What each gate means for each kind of action, with the reason. A safety gate that refuses the very fault it should help to repair is
 * lifted here for the kind that repairs it, never switched off.
 */
export const GATE_TABLE: Readonly<Record<Gate, Row>> = {
  ForeignCluster: row(deny('another cluster’s objects are not ours to touch'), {}),
  SelfProtection: row(deny('the product and the cluster’s machinery are never touched, by anything'), {}),
  SelfIncident: row(deny('a product that repairs itself hides its own faults'), {}),
  UpstreamCause: row(deny('a symptom is not treated where the cause is known to be elsewhere'), { Inverse: RESTORES }),
  NamespaceNotAllowed: row(deny('nothing is done where nobody said that it may'), { Inverse: RESTORES }),
  NamespaceLabel: row(deny('the namespace’s own people must have said yes'), { Inverse: RESTORES }),
  SystemNamespace: row(ask('a mistake in the cluster’s own machinery reaches every workload'), { Inverse: RESTORES }),
  KindNotEnabled: row(deny('each kind is enabled by name'), { Inverse: RESTORES }),
  ProtectedObject: row(deny('people have marked the object'), {}),
  GitOpsOwner: row(ask('what a repository declares is changed there; a change here lasts until it is applied again'), {
    RestartPod: NOT_DECLARED,
    RolloutRestart: NOT_DECLARED,
    Inverse: RESTORES,
  }),
  GitOpsSelfHeal: row(deny('the tool takes the change back at once, so it repairs nothing'), {
    RestartPod: NOT_DECLARED,
    RolloutRestart: NOT_DECLARED,
    DeleteStuckJob: ask('the tool makes the job again, which runs it once more'),
    Inverse: RESTORES,
  }),
  EmergencyStop: row(deny('the stop stops everything, the undo included'), {}),
  ModeTooLow: row(deny('below approve nothing is changed'), { Inverse: RESTORES }),
  ModeAsks: row(ask('approve means that a person decides'), { Inverse: RESTORES }, 'any'),
  RunawayLatch: row(ask('something ran away, so a person looks at each act'), { Inverse: RESTORES }, 'any'),
  Quarantine: row(deny('the same act did not help before'), { Inverse: RESTORES }),
  Ungrounded: row(deny('no act without evidence'), { Inverse: RESTORES }),
  CertaintyTooLow: row(deny('a guess is not acted on'), { Inverse: RESTORES }),
  CertaintyNotProven: row(ask('likely is for a person to judge'), { Inverse: RESTORES }, 'any'),
  RevisionInFlight: row(NO_ROLLBACK, {
    RollbackWorkload: deny('another revision than the blamed one is in force, so the finding no longer holds'),
    Inverse: exempt('an undo tests that every value is still the one we wrote, which is stricter'),
  }),
  RolloutInFlight: row(deny('a workload in motion is left to settle first'), {
    RollbackWorkload: ENDS_ROLLOUT,
    DeleteStuckJob: JOB,
    Inverse: RESTORES,
  }),
  PodTooYoung: row(deny('a young pod may still come up by itself'), {
    RollbackWorkload: ENDS_ROLLOUT,
    Inverse: RESTORES,
  }),
  MaintenanceWindow: row(deny('people are at work there'), { Inverse: RESTORES }),
  ClusterHealthFloor: row(ask('when much is down, the fault may be elsewhere, and acts add load'), {
    Inverse: RESTORES,
  }),
  BlastRadiusPods: row(ask('many pods at once are for a person to decide'), {
    RestartPod: ONE_POD,
    DeleteStuckJob: JOB,
    Inverse: RESTORES,
  }),
  BlastRadiusFraction: row(ask('much of a workload at once is for a person to decide'), {
    RestartPod: deny('restarting most of a workload by single pods is an outage'),
    ScaleWorkload: deny('taking away most of a workload is an outage'),
    RollbackWorkload: ENDS_ROLLOUT,
    DeleteStuckJob: JOB,
    Inverse: RESTORES,
  }),
  LastReadyReplica: row(ROLLS, {
    RestartPod: ask('the only pod that serves would be gone for a while'),
    ScaleWorkload: deny('the only pod that serves would be gone'),
    DeleteStuckJob: JOB,
    Inverse: RESTORES,
  }),
  OutOfBounds: row(deny('amounts lie within what the policy names'), {
    Inverse: exempt('the prior amounts were there before us'),
  }),
  Cooldown: row(deny('the last act is given time to show its effect'), { Inverse: RESTORES }),
  Budget: row(ask('above the budget a person decides'), { Inverse: RESTORES }, 'any'),
  NotReversible: row(ask('what cannot be taken back is for a person to decide'), { Inverse: RESTORES }, 'any'),
};
