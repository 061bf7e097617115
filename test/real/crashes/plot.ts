import type { ConfigInput } from '@hephaisto/core/config/schema';
import type { LineFaultPoint } from '@hephaisto/core/ports/fault-point-names';
import type { PolicyFileInput } from '@hephaisto/policy/policy-file';
import type { Behaviour } from '../../../operator/src/demo/stories/behaviour.ts';
import type { WorldStep } from '../../../operator/src/demo/stories/story.ts';
import type { Running } from './running.ts';

/** How one incident must have ended. `workload` is the owner's name. */
export interface PlotEnd {
  readonly workload: string;
  readonly state: 'Resolved' | 'Escalated' | 'Expired';
  readonly reason?: string;
  /** State of its newest action; undefined where it must have none. */
  readonly action?: string;
}

/** A short story that is told the same however often the operator dies in it. */
export interface Plot {
  readonly name: string;
  /** Points that it passes whenever nobody dies; each is a run of its own, killed there. */
  readonly points: readonly LineFaultPoint[];
  /** Ends alike wherever it dies, so that it may die anywhere and more than once. */
  readonly steady?: boolean;
  readonly mode: 'approve' | 'auto' | 'dryrun';
  readonly policy?: Partial<PolicyFileInput>;
  readonly incidents?: NonNullable<ConfigInput['incidents']>;
  /** Statements on the run's own database, before anything happens: rare moments are made to come by them. */
  readonly plant?: readonly string[];
  /** Milliseconds for which a step of an action is held, where the plot is about that. */
  readonly actionLease?: number;
  readonly behaviours?: readonly Behaviour[];
  readonly timeline?: readonly WorldStep[];
  /** What people and the surroundings do. Every call in it must be good to be made again after a crash. */
  play(run: Running): Promise<void>;
  readonly ends: readonly PlotEnd[];
  /** Changes of workloads that the cluster's own record must hold, each exactly once; undos included. */
  readonly writes: number;
  /** Bodies that cannot be expanded, put aside. */
  readonly poison?: number;
}
