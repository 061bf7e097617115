import type { KubeObject } from '../cluster/object.ts';
import type { PodSpec } from './pod.ts';

/** Workload and cluster objects in the API's own shape, as far as stories, kubelet and alert rules read them. */
export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: PodSpec;
}

export interface StatusCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastHeartbeatTime?: string;
  lastTransitionTime?: string;
}

export interface Deployment extends KubeObject {
  spec: {
    replicas?: number;
    selector: { matchLabels: Record<string, string> };
    template: PodTemplate;
    [field: string]: unknown;
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    unavailableReplicas?: number;
    conditions?: StatusCondition[];
  };
}

export interface ReplicaSet extends KubeObject {
  spec: { replicas?: number; template: PodTemplate; [field: string]: unknown };
  status?: { replicas?: number; readyReplicas?: number; availableReplicas?: number };
}

export interface Job extends KubeObject {
  spec: { backoffLimit?: number; completions?: number; template: PodTemplate; [field: string]: unknown };
  status?: { active?: number; succeeded?: number; failed?: number; conditions?: StatusCondition[] };
}

export interface EndpointSlice extends KubeObject {
  endpoints?: { addresses: string[]; conditions?: { ready?: boolean } }[];
}

/** A ConfigMap or a Secret; a Secret's values are base64. */
export interface KeyedData extends KubeObject {
  data?: Record<string, string>;
}

export interface Lease extends KubeObject {
  spec?: { holderIdentity?: string; leaseDurationSeconds?: number; renewTime?: string };
}

export interface NodeObject extends KubeObject {
  spec?: { unschedulable?: boolean; taints?: object[]; [field: string]: unknown };
  status?: {
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
    addresses?: { type: string; address: string }[];
    conditions?: StatusCondition[];
    daemonEndpoints?: { kubeletEndpoint: { Port: number } };
    nodeInfo?: Record<string, string>;
    [field: string]: unknown;
  };
}

export interface EventObject extends KubeObject {
  involvedObject: {
    kind: string;
    namespace?: string;
    name: string;
    uid?: string;
    apiVersion?: string;
    resourceVersion?: string;
    fieldPath?: string;
  };
  reason?: string;
  message?: string;
  type?: string;
  count?: number;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  source?: { component?: string; host?: string };
  reportingComponent?: string;
  reportingInstance?: string;
}
