import type { BudgetUsage } from '@hephaisto/core/action/budget';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import type { Certainty } from '@hephaisto/core/finding/finding';
import type { AgentMode, ModeLimit } from '@hephaisto/core/switches/modes';
import type { Gate } from './gate.ts';
import type { NamespaceRule } from './policy-file.ts';

/** A fact that was read, or that could not be. Nothing else: absence of knowledge is never a value. */
export type Known<T> = { readonly known: true; readonly value: T } | { readonly known: false; readonly why: string };

export function known<T>(value: T): Known<T> {
  return { known: true, value };
}

export function unknown(why: string): Known<never> {
  return { known: false, why };
}

export interface ObjectMarks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The controller that the action is about, as it is now. */
export interface WorkloadState extends ObjectMarks {
  readonly replicas: number;
  readonly ready: number;
  /** A generation that its controller has not observed, or pods of an older template still there. Mere unavailability is neither. */
  readonly rolloutInFlight: boolean;
  readonly currentRevision?: number;
}

export interface TargetState extends ObjectMarks {
  /** For a pod: whether it serves now. */
  readonly ready: boolean;
  /** Present amounts of the container that a resource change names. */
  readonly memoryLimitBytes?: number;
  readonly cpuLimitMillis?: number;
}

export interface ClusterHealth {
  /** Whose pods are counted; absent: all of them. */
  readonly namespaces?: readonly string[];
  readonly pods: number;
  readonly unreadyPods: number;
  readonly nodes: number;
  readonly unreadyNodes: number;
}

/** A delivery tool that declares an object of the action, as the object's marks and the tool's own object show it. */
export interface GitOpsOwner {
  readonly tool: string;
  /** Kind and name of the tool's object; absent where the marks do not name it. */
  readonly name?: string;
  readonly shownBy: string;
  /** Whether the tool takes a change back by itself; `unknown` where its object could not be read. */
  readonly selfHeal: 'on' | 'off' | 'unknown';
  readonly unread?: string;
  readonly source?: { readonly repository?: string; readonly revision?: string; readonly path?: string };
}

/** Everything a decision reads, frozen. Whoever gathers it decides nothing; whoever decides reads nothing else. */
export interface PolicyInput {
  /** An undo is judged in its own column of the table. */
  readonly undo: boolean;
  readonly request: AnyActionRequest;
  readonly now: Date;
  /** The rule of the policy file for the namespace; `undefined` when no rule names it. */
  readonly rule: NamespaceRule | undefined;
  /** Namespaces of the product itself and of the cluster's own machinery. */
  readonly selfNamespaces: readonly string[];
  readonly protectedLabels: Readonly<Record<string, string>>;
  readonly healthLimits: { readonly maxUnreadyPods: number; readonly maxUnreadyNodes: number };
  readonly mode: { readonly effective: AgentMode; readonly setBy: ModeLimit };
  readonly emergencyStop: { readonly on: boolean; readonly why: string };
  readonly runawayLatch: { readonly on: boolean; readonly why: string };
  readonly incident: { readonly clusterKnown: boolean; readonly isSelf: boolean; readonly causedByOther: boolean };
  /** The finding that the plan cites; `undefined` when it cites none that stands. */
  readonly finding:
    | { readonly certainty: Certainty; readonly grounded: boolean; readonly revision?: number }
    | undefined;
  readonly namespaceLabels: Known<Readonly<Record<string, string>>>;
  readonly target: Known<TargetState>;
  readonly workload: Known<WorkloadState>;
  /** Delivery tools that declare the target or its controller; empty where none shows itself. */
  readonly gitOps: Known<readonly GitOpsOwner[]>;
  /** Seconds since the youngest pod that the action disturbs was created; `undefined` when there is none. */
  readonly youngestPodSeconds: Known<number | undefined>;
  readonly clusterHealth: Known<ClusterHealth>;
  /** The window that covers the namespace now, by name. */
  readonly maintenance: Known<string | undefined>;
  readonly quarantine: Known<{ readonly until: Date; readonly reason: string } | undefined>;
  /** End of a cooldown that another action of the workload began. */
  readonly cooldownUntil: Known<Date | undefined>;
  readonly budgets: Known<readonly BudgetUsage[]>;
  /** Votes that stand for exactly this proposal, and the gates whose asking they saw. */
  readonly approval: { readonly by: readonly string[]; readonly covers: readonly Gate[] };
}
