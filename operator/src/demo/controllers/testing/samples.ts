import type { KubeObject } from '../../cluster/object.ts';
import type { Condition } from '../shape/condition.ts';
import type { Node, Pod, PodSpec, PodStatus } from '../shape/pod.ts';
import type { Deployment, PodTemplate, ReplicaSet } from '../shape/workloads.ts';

/** Objects for tests: complete enough for the controllers, with only what a test is about spelled out there. */

export const NOW = '2030-01-01T00:10:00Z';

export function aNode(name: string, resources: { cpu?: string; memory?: string; pods?: string } = {}): Node {
  const allocatable = { cpu: '4', memory: '8Gi', pods: '110', ...resources };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
    status: { allocatable, capacity: allocatable, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

export function aTemplate(image: string, requests: Readonly<Record<string, string>> = {}): PodTemplate {
  return {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image, resources: { requests } }] },
  };
}

export function aDeployment(spec: Partial<Deployment['spec']> = {}, image = 'web:1'): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: aTemplate(image), ...spec },
  };
}

export interface ReplicaSetSketch {
  readonly replicas: number;
  /** Pods that exist; as many as wanted unless told otherwise. */
  readonly present?: number;
  readonly available?: number;
  readonly image?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Minutes into the hour at which it was created. */
  readonly age?: number;
}

export function aReplicaSet(name: string, sketch: ReplicaSetSketch): ReplicaSet {
  const { replicas, present = replicas, available = replicas, image = name } = sketch;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name,
      namespace: 'shop',
      uid: name,
      generation: 1,
      creationTimestamp: `2030-01-01T00:0${sketch.age ?? 0}:00Z`,
      annotations: { ...sketch.annotations },
    },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: aTemplate(image) },
    status: { replicas: present, readyReplicas: available, availableReplicas: available, observedGeneration: 1 },
  };
}

export interface PodSketch {
  readonly node?: string;
  readonly phase?: string;
  readonly ready?: boolean;
  readonly readySince?: string;
  readonly restarts?: number;
  readonly created?: string;
  readonly deleted?: boolean;
  readonly ip?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: KubeObject;
  readonly spec?: Partial<PodSpec>;
  readonly status?: Partial<PodStatus>;
}

export function aPod(name: string, sketch: PodSketch = {}): Pod {
  const { node = 'node-a', phase = 'Running', ready = true, restarts = 0, owner } = sketch;
  const condition: Condition = {
    type: 'Ready',
    status: ready ? 'True' : 'False',
    lastTransitionTime: sketch.readySince ?? '2030-01-01T00:00:00Z',
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: name,
      creationTimestamp: sketch.created ?? '2030-01-01T00:00:00Z',
      labels: { app: 'web', ...sketch.labels },
      annotations: { ...sketch.annotations },
      ...(sketch.deleted === true ? { deletionTimestamp: NOW } : {}),
      ...(owner === undefined ? {} : { ownerReferences: [reference(owner)] }),
    },
    spec: { ...(node === '' ? {} : { nodeName: node }), containers: [{ name: 'web' }], ...sketch.spec },
    status: {
      phase,
      ...(sketch.ip === undefined ? {} : { podIP: sketch.ip }),
      conditions: [condition],
      containerStatuses: [{ name: 'web', restartCount: restarts }],
      ...sketch.status,
    },
  };
}

function reference({ apiVersion, kind, metadata }: KubeObject) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true };
}
