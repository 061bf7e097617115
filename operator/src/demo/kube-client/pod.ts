import type { KubeObject } from '../cluster/object.ts';

/** The parts of a pod that a kubelet reads and writes, in the API's own shape. */
export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface PodSpec {
  nodeName?: string;
  restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  terminationGracePeriodSeconds?: number;
  containers: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  [field: string]: unknown;
}

export interface Container {
  name: string;
  image: string;
  imagePullPolicy?: string;
  env?: EnvVar[];
  envFrom?: EnvFrom[];
  resources?: { limits?: Record<string, string>; requests?: Record<string, string> };
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  ports?: { name?: string; containerPort: number }[];
  volumeMounts?: { name: string; mountPath: string }[];
  [field: string]: unknown;
}

export interface Probe {
  initialDelaySeconds?: number;
  periodSeconds?: number;
  failureThreshold?: number;
  [field: string]: unknown;
}

export interface KeyRef {
  name: string;
  key: string;
  optional?: boolean;
}

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: KeyRef; configMapKeyRef?: KeyRef; fieldRef?: { fieldPath: string } };
}

export interface EnvFrom {
  prefix?: string;
  secretRef?: { name: string; optional?: boolean };
  configMapRef?: { name: string; optional?: boolean };
}

export interface Volume {
  name: string;
  emptyDir?: object;
  nfs?: { server: string; path: string };
  configMap?: { name: string; optional?: boolean };
  secret?: { secretName: string; optional?: boolean };
  [kind: string]: unknown;
}

export interface Terminated {
  exitCode: number;
  reason: string;
  startedAt?: string;
  finishedAt?: string;
  containerID?: string;
  message?: string;
}

export interface ContainerState {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: Terminated;
}

export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  started?: boolean;
  restartCount: number;
  state: ContainerState;
  lastState: ContainerState;
}

export interface PodCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string;
  observedGeneration?: number;
}

export interface PodStatus {
  phase?: string;
  conditions?: PodCondition[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
  hostIP?: string;
  hostIPs?: { ip: string }[];
  podIP?: string;
  podIPs?: { ip: string }[];
  startTime?: string;
  qosClass?: string;
  observedGeneration?: number;
  [field: string]: unknown;
}
