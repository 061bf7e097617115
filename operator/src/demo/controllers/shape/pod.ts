import type { KubeObject } from '../../cluster/object.ts';
import type { Condition } from './condition.ts';

/** Effects as the API spells them; an absent effect in a toleration matches every effect. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export interface Container {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly ports?: readonly {
    readonly name?: string;
    readonly containerPort: number;
    readonly hostPort?: number;
    readonly protocol?: string;
  }[];
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string | number>>;
    readonly limits?: Readonly<Record<string, string | number>>;
  };
  readonly [field: string]: unknown;
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeRequirement[];
  readonly matchFields?: readonly NodeRequirement[];
}

export interface NodeRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly schedulerName?: string;
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly preemptionPolicy?: string;
  readonly priority?: number;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: {
        readonly nodeSelectorTerms?: readonly NodeSelectorTerm[];
      };
    };
    readonly [field: string]: unknown;
  };
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly overhead?: Readonly<Record<string, string | number>>;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly [field: string]: unknown;
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: { readonly terminated?: { readonly finishedAt?: string }; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export interface PodStatus {
  readonly phase?: string;
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly nominatedNodeName?: string;
  readonly conditions?: readonly Condition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly [field: string]: unknown;
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface Node extends KubeObject {
  spec?: { readonly unschedulable?: boolean; readonly taints?: readonly Taint[]; readonly [field: string]: unknown };
  status?: {
    readonly allocatable?: Readonly<Record<string, string | number>>;
    readonly capacity?: Readonly<Record<string, string | number>>;
    readonly conditions?: readonly Condition[];
    readonly [field: string]: unknown;
  };
}

export interface Lease extends KubeObject {
  spec?: { readonly renewTime?: string; readonly leaseDurationSeconds?: number; readonly [field: string]: unknown };
}
