/** Manifests and paths that cases share. */

export type Json = Record<string, unknown>;

const GROUPS: Readonly<Record<string, string>> = {
  deployments: '/apis/apps/v1',
  replicasets: '/apis/apps/v1',
  statefulsets: '/apis/apps/v1',
  daemonsets: '/apis/apps/v1',
  controllerrevisions: '/apis/apps/v1',
  jobs: '/apis/batch/v1',
  cronjobs: '/apis/batch/v1',
  leases: '/apis/coordination.k8s.io/v1',
  endpointslices: '/apis/discovery.k8s.io/v1',
  poddisruptionbudgets: '/apis/policy/v1',
  horizontalpodautoscalers: '/apis/autoscaling/v2',
  ingresses: '/apis/networking.k8s.io/v1',
  networkpolicies: '/apis/networking.k8s.io/v1',
  roles: '/apis/rbac.authorization.k8s.io/v1',
  rolebindings: '/apis/rbac.authorization.k8s.io/v1',
  clusterroles: '/apis/rbac.authorization.k8s.io/v1',
  clusterrolebindings: '/apis/rbac.authorization.k8s.io/v1',
  selfsubjectaccessreviews: '/apis/authorization.k8s.io/v1',
  selfsubjectrulesreviews: '/apis/authorization.k8s.io/v1',
  subjectaccessreviews: '/apis/authorization.k8s.io/v1',
  localsubjectaccessreviews: '/apis/authorization.k8s.io/v1',
  tokenreviews: '/apis/authentication.k8s.io/v1',
  selfsubjectreviews: '/apis/authentication.k8s.io/v1',
  storageclasses: '/apis/storage.k8s.io/v1',
};

/** `/api/v1/namespaces/NS/pods/NAME/SUB`; the whole cluster where the namespace is empty. */
export function path(resource: string, namespace = '', name = '', sub = ''): string {
  const root = GROUPS[resource] ?? '/api/v1';
  const scope = namespace === '' ? '' : `/namespaces/${namespace}`;
  return `${root}${scope}/${resource}${name === '' ? '' : `/${name}`}${sub === '' ? '' : `/${sub}`}`;
}

export const newerEvents = (namespace: string, name = '') =>
  `/apis/events.k8s.io/v1/namespaces/${namespace}/events${name === '' ? '' : `/${name}`}`;

/** A pod that no scheduler takes, so that nothing but the API server touches it. */
export function parkedPod(name: string, more: { labels?: Json; spec?: Json; metadata?: Json } = {}): Json {
  return pod(name, { ...more, spec: { schedulerName: 'nobody', ...more.spec } });
}

export function pod(name: string, more: { labels?: Json; spec?: Json; metadata?: Json } = {}): Json {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { 'app.kubernetes.io/name': name, ...more.labels }, ...more.metadata },
    spec: { containers: [container()], ...more.spec },
  };
}

export function container(more: Json = {}): Json {
  return { name: 'app', image: 'registry.example/app:1.0', ...more };
}

export interface WorkloadOptions {
  readonly replicas?: number;
  readonly image?: string;
  readonly spec?: Json;
  readonly podSpec?: Json;
  readonly container?: Json;
  readonly annotations?: Json;
}

export function template(name: string, options: WorkloadOptions = {}): Json {
  return {
    metadata: { labels: { 'app.kubernetes.io/name': name } },
    spec: {
      terminationGracePeriodSeconds: 2,
      containers: [
        container({
          ...(options.image === undefined ? {} : { image: options.image }),
          ports: [{ name: 'http', containerPort: 8080 }],
          ...options.container,
        }),
      ],
      ...options.podSpec,
    },
  };
}

export function deployment(name: string, options: WorkloadOptions = {}): Json {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      labels: { 'app.kubernetes.io/name': name },
      ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
    },
    spec: {
      replicas: options.replicas ?? 1,
      selector: { matchLabels: { 'app.kubernetes.io/name': name } },
      template: template(name, options),
      ...options.spec,
    },
  };
}

/** A Deployment that the API server serves and no pod comes of. */
export function idleDeployment(name: string, options: WorkloadOptions = {}): Json {
  return deployment(name, { replicas: 0, ...options });
}

export function job(name: string, options: WorkloadOptions = {}): Json {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: {
      template: {
        metadata: { labels: { 'app.kubernetes.io/name': name } },
        spec: {
          restartPolicy: 'Never',
          containers: [
            container({ ...options.container, ...(options.image === undefined ? {} : { image: options.image }) }),
          ],
          ...options.podSpec,
        },
      },
      ...options.spec,
    },
  };
}

export function service(name: string, spec: Json = {}): Json {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels: { 'app.kubernetes.io/name': name } },
    spec: {
      selector: { 'app.kubernetes.io/name': name },
      ports: [{ name: 'main', port: 80, targetPort: 'http' }],
      ...spec,
    },
  };
}

export function configMap(name: string, data: Json = { mode: 'observe' }): Json {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

export function budget(name: string, spec: Json): Json {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec: { selector: { matchLabels: { 'app.kubernetes.io/name': name } }, ...spec },
  };
}

export function coreEvent(name: string, namespace: string, more: Json = {}): Json {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace,
      name: 'web',
      uid: 'b3e4c5f6-0000-4000-8000-000000000001',
    },
    reason: 'BackOff',
    message: 'Back-off restarting failed container',
    type: 'Warning',
    count: 1,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
    source: { component: 'kubelet', host: 'node-a' },
    reportingComponent: 'kubelet',
    reportingInstance: 'node-a',
    ...more,
  };
}

export function newerEvent(name: string, namespace: string, more: Json = {}): Json {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name, namespace },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'hephaisto.io/operator',
    reportingInstance: 'one',
    action: 'RestartPod',
    reason: 'HephaistoActed',
    regarding: { apiVersion: 'v1', kind: 'Pod', namespace, name: 'web', uid: 'b3e4c5f6-0000-4000-8000-000000000001' },
    note: 'restarted this pod because its lock is stale',
    type: 'Normal',
    ...more,
  };
}

export function lease(name: string): Json {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name },
    spec: { holderIdentity: 'one', leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.000000Z' },
  };
}
