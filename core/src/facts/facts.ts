/**
 * What the product reads of a cluster, reduced to the fields that some decision uses. Watch caches, diagnosis rules, gates and
 * verification all speak of the cluster in these shapes; projections from API objects live beside this file.
 * Quantities are numbers: cpu in millicores, memory in bytes. Times are instants. Lists keep the API's order.
 */

export interface ObjectRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
}

export interface ResourceAmounts {
  readonly cpuMillis?: number;
  readonly memoryBytes?: number;
}

/** Where an environment value comes from; values of Secrets are never read. */
export type EnvSource =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'secretKey'; readonly name: string; readonly key: string; readonly optional: boolean }
  | { readonly kind: 'configMapKey'; readonly name: string; readonly key: string; readonly optional: boolean }
  | { readonly kind: 'field'; readonly path: string };

export interface EnvVar {
  readonly name: string;
  readonly source: EnvSource;
}

export interface ContainerSpecFact {
  readonly name: string;
  readonly init: boolean;
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly EnvVar[];
  readonly requests: ResourceAmounts;
  readonly limits: ResourceAmounts;
}

export interface TerminationFact {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt?: Date;
  readonly finishedAt?: Date;
}

export interface ContainerStatusFact {
  readonly name: string;
  readonly init: boolean;
  readonly ready: boolean;
  readonly started: boolean;
  readonly restartCount: number;
  readonly imageId?: string;
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly running?: { readonly startedAt?: Date };
  readonly terminated?: TerminationFact;
  readonly lastTerminated?: TerminationFact;
}

export interface ConditionFact {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly since?: Date;
}

export interface OwnerFact {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean;
}

export interface VolumeFact {
  readonly name: string;
  readonly kind: 'emptyDir' | 'configMap' | 'secret' | 'pvc' | 'projected' | 'hostPath' | 'other';
  readonly source?: string;
}

export interface PodFact extends ObjectRef {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly owners: readonly OwnerFact[];
  readonly createdAt: Date;
  readonly deletingSince?: Date;
  readonly nodeName?: string;
  readonly phase: string;
  readonly statusReason?: string;
  readonly statusMessage?: string;
  readonly conditions: readonly ConditionFact[];
  readonly specs: readonly ContainerSpecFact[];
  readonly statuses: readonly ContainerStatusFact[];
  readonly volumes: readonly VolumeFact[];
  readonly ready: boolean;
}

/** A Deployment, StatefulSet, DaemonSet, ReplicaSet seen as a controller of equal pods. `raw` is the object as read, for diffs and preconditions. */
export interface WorkloadFact extends ObjectRef {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly observedGeneration: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly owners: readonly OwnerFact[];
  readonly createdAt: Date;
  readonly selector: Readonly<Record<string, string>>;
  readonly replicas: number;
  readonly status: {
    readonly replicas: number;
    readonly updated: number;
    readonly ready: number;
    readonly available: number;
    readonly unavailable: number;
  };
  readonly revision?: number;
  readonly paused: boolean;
  readonly conditions: readonly ConditionFact[];
  readonly specs: readonly ContainerSpecFact[];
  readonly raw: Readonly<Record<string, unknown>>;
}

/** One revision of a workload: a ReplicaSet of a Deployment, or a ControllerRevision. */
export interface RevisionFact {
  readonly revision: number;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: Date;
  readonly replicas: number;
  readonly ready: number;
  readonly changeCause?: string;
  readonly specs: readonly ContainerSpecFact[];
  /** The pod template as the API holds it, without the hash label that the controller adds. */
  readonly template: Readonly<Record<string, unknown>>;
}

export interface NodeFact {
  readonly name: string;
  readonly uid: string;
  readonly ready: 'True' | 'False' | 'Unknown';
  readonly conditions: readonly ConditionFact[];
  readonly unschedulable: boolean;
  readonly taints: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  readonly allocatable: ResourceAmounts & { readonly pods?: number };
  readonly labels: Readonly<Record<string, string>>;
}

export interface EventFact {
  readonly uid: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstSeen?: Date;
  readonly lastSeen?: Date;
  readonly regarding: ObjectRef;
  readonly reporter: string;
}

export interface JobFact extends ObjectRef {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly owners: readonly OwnerFact[];
  readonly createdAt: Date;
  readonly labels: Readonly<Record<string, string>>;
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly backoffLimit: number;
  readonly conditions: readonly ConditionFact[];
  readonly specs: readonly ContainerSpecFact[];
}

export interface ServiceFact extends ObjectRef {
  readonly selector: Readonly<Record<string, string>>;
  readonly ports: readonly { readonly name?: string; readonly port: number }[];
  readonly endpoints: { readonly ready: number; readonly notReady: number; readonly podNames: readonly string[] };
}
