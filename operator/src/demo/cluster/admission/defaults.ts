import { createHash } from 'node:crypto';
import { isRecord, type Json, recordAt } from '../json-at.ts';
import type { GroupVersionResource, KubeObject } from '../object.ts';
import { typeKey } from '../type-key.ts';
import { podDefaults, podSpecDefaults, podStatusDefaults } from './pod-defaults.ts';

type Fill = (object: KubeObject) => KubeObject;

/**
 * Fills in what a real API server fills in, as far as a reader of the object or of a diff would see it.
 * Doing it twice changes nothing; what is set is never overruled.
 */
export function applyDefaults(gvr: GroupVersionResource, object: KubeObject): KubeObject {
  const key = typeKey(gvr);
  const filled = FILLS[key]?.(object) ?? object;
  const empty = EMPTY_STATUS[key];
  return empty !== undefined && filled.status === undefined ? { ...filled, status: empty } : filled;
}

/** Their status is there from the start, though empty: a JSON Patch may add to it. */
const EMPTY_STATUS: Readonly<Record<string, Json>> = {
  nodes: {},
  resourcequotas: {},
  'deployments.apps': {},
  'replicasets.apps': { replicas: 0 },
  'statefulsets.apps': { replicas: 0, availableReplicas: 0 },
  'daemonsets.apps': { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  'jobs.batch': {},
  'cronjobs.batch': {},
  'poddisruptionbudgets.policy': { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  'horizontalpodautoscalers.autoscaling': {},
  'ingresses.networking.k8s.io': {},
};

const FILLS: Readonly<Record<string, Fill>> = {
  pods: (object) => {
    const spec = podDefaults(recordAt(object, 'spec'), object.metadata.uid);
    return { ...object, spec, status: podStatusDefaults(spec, object.status) };
  },
  namespaces: (object) => ({
    ...object,
    metadata: {
      ...object.metadata,
      labels: { 'kubernetes.io/metadata.name': object.metadata.name, ...object.metadata.labels },
    },
    spec: { finalizers: ['kubernetes'], ...recordAt(object, 'spec') },
    status: { phase: 'Active', ...recordAt(object, 'status') },
  }),
  events: (object) => ({
    ...object,
    source: object.source ?? {},
    firstTimestamp: object.firstTimestamp ?? null,
    lastTimestamp: object.lastTimestamp ?? null,
    eventTime: object.eventTime ?? null,
    reportingComponent: object.reportingComponent ?? '',
    reportingInstance: object.reportingInstance ?? '',
  }),
  nodes: (object) => {
    const { unschedulable, taints, ...spec } = recordAt(object, 'spec');
    return {
      ...object,
      spec: {
        ...spec,
        ...(unschedulable === true ? { unschedulable } : {}),
        ...(Array.isArray(taints) && taints.length > 0 ? { taints } : {}),
      },
      status: {
        daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
        nodeInfo: NO_NODE_INFO,
        ...recordAt(object, 'status'),
      },
    };
  },
  secrets: withSecretData,
  services: withServiceSpec,
  persistentvolumeclaims: (object) => ({
    ...object,
    spec: { volumeMode: 'Filesystem', ...recordAt(object, 'spec') },
    status: { phase: 'Pending', ...recordAt(object, 'status') },
  }),
  'deployments.apps': (object) =>
    workload(object, ({ paused, ...spec }) => ({
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...spec,
      ...(paused === true ? { paused } : {}),
      strategy: deploymentStrategy(recordAt(spec, 'strategy')),
    })),
  'replicasets.apps': (object) => workload(object, (spec) => ({ replicas: 1, ...spec })),
  'statefulsets.apps': (object) =>
    workload(object, (spec) => ({
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      revisionHistoryLimit: 10,
      ...spec,
      updateStrategy: rolling(recordAt(spec, 'updateStrategy'), { partition: 0 }),
    })),
  'daemonsets.apps': (object) =>
    workload(object, (spec) => ({
      revisionHistoryLimit: 10,
      ...spec,
      updateStrategy: rolling(recordAt(spec, 'updateStrategy'), { maxSurge: 0, maxUnavailable: 1 }),
    })),
  'jobs.batch': (object) => workload(withJobSelector(object), jobSpec),
  'cronjobs.batch': (object) => ({
    ...object,
    spec: {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      ...recordAt(object, 'spec'),
    },
  }),
  'rolebindings.rbac.authorization.k8s.io': withBindingGroups,
  'clusterrolebindings.rbac.authorization.k8s.io': withBindingGroups,
};

const NO_NODE_INFO = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: '',
  containerRuntimeVersion: '',
  kubeletVersion: '',
  kubeProxyVersion: '',
  operatingSystem: '',
  architecture: '',
};

function workload(object: KubeObject, fill: (spec: Json) => Json): KubeObject {
  const spec = fill(recordAt(object, 'spec'));
  const template = recordAt(spec, 'template');
  if (!isRecord(template.spec)) return { ...object, spec };
  const filled = { ...template, metadata: recordAt(template, 'metadata'), spec: podSpecDefaults(template.spec) };
  return { ...object, spec: { ...spec, template: filled } };
}

function deploymentStrategy(strategy: Json): Json {
  return rolling(strategy, { maxUnavailable: '25%', maxSurge: '25%' });
}

function rolling(strategy: Json, defaults: Json): Json {
  const type = strategy.type ?? 'RollingUpdate';
  if (type !== 'RollingUpdate') return { ...strategy, type };
  return { ...strategy, type, rollingUpdate: { ...defaults, ...recordAt(strategy, 'rollingUpdate') } };
}

function jobSpec(spec: Json): Json {
  const counts = spec.completions === undefined && spec.parallelism === undefined ? { completions: 1 } : {};
  return {
    ...counts,
    parallelism: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    ...spec,
  };
}

/** A job's pods are told apart by the job's own uid, which it only has once it is being stored. */
function withJobSelector(job: KubeObject): KubeObject {
  const spec = recordAt(job, 'spec');
  const { uid, name } = job.metadata;
  if (spec.selector !== undefined || spec.manualSelector === true || uid === undefined) return job;
  const template = recordAt(spec, 'template');
  const metadata = recordAt(template, 'metadata');
  const own = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const labels = { ...(recordAt(metadata, 'labels') as Record<string, string>), ...own };
  return {
    ...job,
    metadata: Object.keys(job.metadata.labels ?? {}).length > 0 ? job.metadata : { ...job.metadata, labels },
    spec: {
      ...spec,
      manualSelector: false,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  };
}

function withSecretData(secret: KubeObject): KubeObject {
  const { stringData, ...rest } = secret;
  const plain = Object.entries(recordAt(stringData)).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString('base64'),
  ]);
  const data = { ...recordAt(secret, 'data'), ...Object.fromEntries(plain) };
  return { ...rest, ...(Object.keys(data).length > 0 ? { data } : {}), type: secret.type ?? 'Opaque' } as KubeObject;
}

function withServiceSpec(service: KubeObject): KubeObject {
  const spec = recordAt(service, 'spec');
  if (spec.type === 'ExternalName') return service;
  const clusterIP = spec.clusterIP ?? serviceAddress(service);
  const ports = Array.isArray(spec.ports) ? { ports: spec.ports.map(servicePort) } : {};
  const defaults = {
    type: 'ClusterIP',
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
  };
  return {
    ...service,
    spec: { ...defaults, ...spec, clusterIP, clusterIPs: [clusterIP], ...ports },
    status: { loadBalancer: {}, ...recordAt(service, 'status') },
  };
}

function servicePort(port: unknown): unknown {
  return isRecord(port) ? { protocol: 'TCP', targetPort: port.port, ...port } : port;
}

/** Out of the name, so that the same story has the same addresses each time. Two services may share one: nothing is routed. */
function serviceAddress(service: KubeObject): string {
  const digest = createHash('sha256').update(`${service.metadata.namespace}/${service.metadata.name}`).digest();
  return `10.96.${digest[0]}.${((digest[1] ?? 0) % 254) + 1}`;
}

function withBindingGroups(binding: KubeObject): KubeObject {
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = Array.isArray(binding.subjects) ? { subjects: binding.subjects.map(subject) } : {};
  return { ...binding, roleRef: { apiGroup, ...recordAt(binding, 'roleRef') }, ...subjects };

  function subject(given: unknown): unknown {
    return isRecord(given) && given.kind !== 'ServiceAccount' ? { apiGroup, ...given } : given;
  }
}
