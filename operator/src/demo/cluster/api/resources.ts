import type { GroupVersionResource } from '../object.ts';

/** One type that the API serves, as discovery tells of it. */
export interface ApiResource extends GroupVersionResource {
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly string[];
  /** Whether PUT of the whole object is implemented; the others are changed by JSON Patch. */
  readonly replaceable: boolean;
}

interface Traits {
  readonly short?: readonly string[];
  readonly sub?: readonly string[];
  readonly all?: boolean;
  readonly cluster?: boolean;
  readonly replaceable?: boolean;
}

function of(group: string, version: string, kind: string, resource: string, traits: Traits = {}): ApiResource {
  return {
    group,
    version,
    kind,
    resource,
    singular: kind.toLowerCase(),
    namespaced: !traits.cluster,
    shortNames: traits.short ?? [],
    categories: traits.all ? ['all'] : [],
    subresources: traits.sub ?? [],
    replaceable: traits.replaceable ?? false,
  };
}

const SCALABLE = ['status', 'scale'] as const;
const RBAC = 'rbac.authorization.k8s.io';

export const API_RESOURCES: readonly ApiResource[] = [
  of('', 'v1', 'ConfigMap', 'configmaps', { short: ['cm'], replaceable: true }),
  of('', 'v1', 'Endpoints', 'endpoints', { short: ['ep'] }),
  of('', 'v1', 'Event', 'events', { short: ['ev'] }),
  of('', 'v1', 'LimitRange', 'limitranges', { short: ['limits'] }),
  of('', 'v1', 'Namespace', 'namespaces', { short: ['ns'], sub: ['status'], cluster: true }),
  of('', 'v1', 'Node', 'nodes', { short: ['no'], sub: ['status'], cluster: true }),
  of('', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', { short: ['pvc'], sub: ['status'] }),
  of('', 'v1', 'PersistentVolume', 'persistentvolumes', { short: ['pv'], sub: ['status'], cluster: true }),
  of('', 'v1', 'Pod', 'pods', { short: ['po'], sub: ['status', 'log', 'binding', 'eviction'], all: true }),
  of('', 'v1', 'ResourceQuota', 'resourcequotas', { short: ['quota'], sub: ['status'] }),
  of('', 'v1', 'Secret', 'secrets'),
  of('', 'v1', 'ServiceAccount', 'serviceaccounts', { short: ['sa'], sub: ['token'] }),
  of('', 'v1', 'Service', 'services', { short: ['svc'], sub: ['status'], all: true }),
  of('apps', 'v1', 'ControllerRevision', 'controllerrevisions'),
  of('apps', 'v1', 'DaemonSet', 'daemonsets', { short: ['ds'], sub: ['status'], all: true }),
  of('apps', 'v1', 'Deployment', 'deployments', { short: ['deploy'], sub: SCALABLE, all: true }),
  of('apps', 'v1', 'ReplicaSet', 'replicasets', { short: ['rs'], sub: SCALABLE, all: true }),
  of('apps', 'v1', 'StatefulSet', 'statefulsets', { short: ['sts'], sub: SCALABLE, all: true }),
  of('autoscaling', 'v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    short: ['hpa'],
    sub: ['status'],
    all: true,
  }),
  of('batch', 'v1', 'CronJob', 'cronjobs', { short: ['cj'], sub: ['status'], all: true }),
  of('batch', 'v1', 'Job', 'jobs', { sub: ['status'], all: true }),
  of('coordination.k8s.io', 'v1', 'Lease', 'leases', { replaceable: true }),
  of('discovery.k8s.io', 'v1', 'EndpointSlice', 'endpointslices'),
  of('events.k8s.io', 'v1', 'Event', 'events', { short: ['ev'] }),
  of('networking.k8s.io', 'v1', 'Ingress', 'ingresses', { short: ['ing'], sub: ['status'] }),
  of('networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies', { short: ['netpol'] }),
  of('policy', 'v1', 'PodDisruptionBudget', 'poddisruptionbudgets', { short: ['pdb'], sub: ['status'] }),
  of(RBAC, 'v1', 'ClusterRoleBinding', 'clusterrolebindings', { cluster: true }),
  of(RBAC, 'v1', 'ClusterRole', 'clusterroles', { cluster: true }),
  of(RBAC, 'v1', 'RoleBinding', 'rolebindings'),
  of(RBAC, 'v1', 'Role', 'roles'),
  of('storage.k8s.io', 'v1', 'StorageClass', 'storageclasses', { short: ['sc'], cluster: true }),
];

/** Questions, not objects: they are answered and never stored. */
export const REVIEWS: readonly ApiResource[] = [
  of('authentication.k8s.io', 'v1', 'SelfSubjectReview', 'selfsubjectreviews', { cluster: true }),
  of('authentication.k8s.io', 'v1', 'TokenReview', 'tokenreviews', { cluster: true }),
  of('authorization.k8s.io', 'v1', 'LocalSubjectAccessReview', 'localsubjectaccessreviews'),
  of('authorization.k8s.io', 'v1', 'SelfSubjectAccessReview', 'selfsubjectaccessreviews', { cluster: true }),
  of('authorization.k8s.io', 'v1', 'SelfSubjectRulesReview', 'selfsubjectrulesreviews', { cluster: true }),
  of('authorization.k8s.io', 'v1', 'SubjectAccessReview', 'subjectaccessreviews', { cluster: true }),
];

/** The kind that a subresource's body has, where it is not the object's own. */
export const SUBRESOURCE_KINDS: Readonly<
  Record<string, { group: string; version: string; kind: string; verbs: readonly string[] }>
> = {
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
  binding: { group: '', version: 'v1', kind: 'Binding', verbs: ['create'] },
  token: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create'] },
};

const BY_PATH = new Map([...API_RESOURCES, ...REVIEWS].map((each) => [pathKey(each), each]));

export function findResource(type: GroupVersionResource): ApiResource | undefined {
  return BY_PATH.get(pathKey(type));
}

export function isReview(resource: ApiResource): boolean {
  return REVIEWS.includes(resource);
}

export function groupVersion(type: { readonly group: string; readonly version: string }): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** Whether anything is served in that group and version. */
export function isServed({ group }: { readonly group: string }): boolean {
  return [...API_RESOURCES, ...REVIEWS].some((each) => each.group === group);
}

function pathKey(type: GroupVersionResource): string {
  return `${type.group}/${type.version}/${type.resource}`;
}
