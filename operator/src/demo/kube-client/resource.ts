import type { GroupVersionResource, KubeObject } from '../cluster/object.ts';
import type { Pod } from './pod.ts';
import type {
  Deployment,
  EndpointSlice,
  EventObject,
  Job,
  KeyedData,
  Lease,
  NodeObject,
  ReplicaSet,
} from './workload.ts';

/** One resource type of the API; `T` is the shape of its objects and exists for the compiler only. */
export interface ResourceType<T extends KubeObject = KubeObject> extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shape?: T;
}

function resourceType<T extends KubeObject>(
  group: string,
  resource: string,
  kind: string,
  namespaced = true,
): ResourceType<T> {
  return { group, version: 'v1', resource, kind, namespaced };
}

/** The resource types that a kubelet, a story or the director touches. */
export const PODS = resourceType<Pod>('', 'pods', 'Pod');
export const NODES = resourceType<NodeObject>('', 'nodes', 'Node', false);
export const NAMESPACES = resourceType<KubeObject>('', 'namespaces', 'Namespace', false);
export const EVENTS = resourceType<EventObject>('', 'events', 'Event');
export const SECRETS = resourceType<KeyedData>('', 'secrets', 'Secret');
export const CONFIG_MAPS = resourceType<KeyedData>('', 'configmaps', 'ConfigMap');
export const SERVICES = resourceType<KubeObject>('', 'services', 'Service');
export const SERVICE_ACCOUNTS = resourceType<KubeObject>('', 'serviceaccounts', 'ServiceAccount');
export const LEASES = resourceType<Lease>('coordination.k8s.io', 'leases', 'Lease');
export const DEPLOYMENTS = resourceType<Deployment>('apps', 'deployments', 'Deployment');
export const REPLICA_SETS = resourceType<ReplicaSet>('apps', 'replicasets', 'ReplicaSet');
export const JOBS = resourceType<Job>('batch', 'jobs', 'Job');
export const ENDPOINT_SLICES = resourceType<EndpointSlice>('discovery.k8s.io', 'endpointslices', 'EndpointSlice');
const ROLES = resourceType<KubeObject>('rbac.authorization.k8s.io', 'roles', 'Role');
const ROLE_BINDINGS = resourceType<KubeObject>('rbac.authorization.k8s.io', 'rolebindings', 'RoleBinding');
const CLUSTER_ROLES = resourceType<KubeObject>('rbac.authorization.k8s.io', 'clusterroles', 'ClusterRole', false);
const CLUSTER_ROLE_BINDINGS = resourceType<KubeObject>(
  'rbac.authorization.k8s.io',
  'clusterrolebindings',
  'ClusterRoleBinding',
  false,
);

const KNOWN: readonly ResourceType[] = [
  PODS,
  NODES,
  NAMESPACES,
  EVENTS,
  SECRETS,
  CONFIG_MAPS,
  SERVICES,
  SERVICE_ACCOUNTS,
  LEASES,
  DEPLOYMENTS,
  REPLICA_SETS,
  JOBS,
  ENDPOINT_SLICES,
  ROLES,
  ROLE_BINDINGS,
  CLUSTER_ROLES,
  CLUSTER_ROLE_BINDINGS,
];

/** The resource type that serves objects of this kind. Throws for a kind no story uses. */
export function resourceOf(object: Pick<KubeObject, 'apiVersion' | 'kind'>): ResourceType {
  const group = object.apiVersion.includes('/') ? (object.apiVersion.split('/')[0] ?? '') : '';
  const found = KNOWN.find((type) => type.kind === object.kind && type.group === group);
  if (found === undefined)
    throw new Error(`expected a kind that stories use, found \`${object.apiVersion} ${object.kind}\``);
  return found;
}

/** The request path of a collection, an object or one of its subresources. */
export function resourcePath(
  type: GroupVersionResource,
  namespace?: string,
  name?: string,
  subresource?: string,
): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const parts = namespace === undefined ? [] : ['namespaces', namespace];
  parts.push(type.resource);
  if (name !== undefined) parts.push(name);
  if (subresource !== undefined) parts.push(subresource);
  return `${root}/${parts.map(encodeURIComponent).join('/')}`;
}
