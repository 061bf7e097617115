import type { GroupVersionResource, KubeObject } from '../object.ts';
import type { ObjectStore } from '../store.ts';
import { AUTHENTICATED, MASTERS } from './identity.ts';

const GROUP = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];

const VIEWABLE = [
  rule([''], ['configmaps', 'endpoints', 'persistentvolumeclaims', 'pods', 'services', 'serviceaccounts'], READ),
  rule([''], ['events', 'limitranges', 'namespaces', 'pods/log', 'pods/status', 'resourcequotas'], READ),
  rule(['apps'], ['controllerrevisions', 'daemonsets', 'deployments', 'replicasets', 'statefulsets'], READ),
  rule(['apps'], ['deployments/scale', 'replicasets/scale', 'statefulsets/scale'], READ),
  rule(['apps'], ['daemonsets/status', 'deployments/status', 'replicasets/status', 'statefulsets/status'], READ),
  rule(['autoscaling'], ['horizontalpodautoscalers'], READ),
  rule(['batch'], ['cronjobs', 'jobs', 'cronjobs/status', 'jobs/status'], READ),
  rule(['networking.k8s.io'], ['ingresses', 'networkpolicies'], READ),
  rule(['policy'], ['poddisruptionbudgets'], READ),
  rule(['discovery.k8s.io'], ['endpointslices'], READ),
];

const EDITABLE = [
  rule(
    [''],
    ['configmaps', 'events', 'persistentvolumeclaims', 'pods', 'secrets', 'services', 'serviceaccounts'],
    WRITE,
  ),
  rule([''], ['secrets'], READ),
  rule([''], ['pods/eviction'], ['create']),
  rule(['apps'], ['daemonsets', 'deployments', 'deployments/scale', 'replicasets', 'statefulsets'], WRITE),
  rule(['batch'], ['cronjobs', 'jobs'], WRITE),
  rule(['coordination.k8s.io'], ['leases'], [...READ, ...WRITE]),
];

const DISCOVERY_PATHS = [
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/healthz',
  '/livez',
  '/openapi',
  '/openapi/*',
  '/readyz',
  '/version',
  '/version/',
];

const CLUSTER_ROLES: Readonly<Record<string, readonly object[]>> = {
  'cluster-admin': [rule(['*'], ['*'], ['*']), { nonResourceURLs: ['*'], verbs: ['*'] }],
  'system:discovery': [{ nonResourceURLs: DISCOVERY_PATHS, verbs: ['get'] }],
  'system:public-info-viewer': [
    { nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'], verbs: ['get'] },
  ],
  'system:service-account-issuer-discovery': [
    {
      nonResourceURLs: [
        '/.well-known/openid-configuration',
        '/.well-known/openid-configuration/',
        '/openid/v1/jwks',
        '/openid/v1/jwks/',
      ],
      verbs: ['get'],
    },
  ],
  'system:basic-user': [
    rule(['authorization.k8s.io'], ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
    rule(['authentication.k8s.io'], ['selfsubjectreviews'], ['create']),
  ],
  'system:auth-delegator': [
    rule(['authentication.k8s.io'], ['tokenreviews'], ['create']),
    rule(['authorization.k8s.io'], ['subjectaccessreviews'], ['create']),
  ],
  'system:node': [
    rule([''], ['nodes', 'pods', 'services', 'configmaps', 'secrets'], READ),
    rule([''], ['nodes'], ['create', 'patch', 'update']),
    rule([''], ['nodes/status', 'pods/status'], ['patch', 'update']),
    rule([''], ['pods'], ['create', 'delete']),
    rule(['', 'events.k8s.io'], ['events'], ['create', 'patch', 'update']),
    rule(['coordination.k8s.io'], ['leases'], ['create', 'delete', 'get', 'patch', 'update']),
  ],
};

const GRANTS: readonly (readonly [string, readonly string[]])[] = [
  ['cluster-admin', [MASTERS]],
  ['system:discovery', [AUTHENTICATED]],
  ['system:public-info-viewer', [AUTHENTICATED, 'system:unauthenticated']],
  ['system:service-account-issuer-discovery', ['system:serviceaccounts']],
  ['system:basic-user', [AUTHENTICATED]],
  ['system:node', ['system:nodes']],
];

/** The roles and bindings that every cluster starts with, as far as anybody here leans on them. */
export function seedRoles(store: ObjectStore): void {
  for (const [name, rules] of Object.entries(CLUSTER_ROLES)) put(store, 'ClusterRole', name, { rules });
  put(store, 'ClusterRole', 'system:aggregate-to-view', { rules: VIEWABLE }, aggregateTo('view'));
  put(store, 'ClusterRole', 'system:aggregate-to-edit', { rules: EDITABLE }, aggregateTo('edit'));
  put(store, 'ClusterRole', 'view', aggregated('view'), aggregateTo('edit'));
  put(store, 'ClusterRole', 'edit', aggregated('view', 'edit'));
  for (const [role, groups] of GRANTS) {
    put(store, 'ClusterRoleBinding', role, {
      roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role },
      subjects: groups.map((name) => ({ apiGroup: GROUP, kind: 'Group', name })),
    });
  }
}

function rule(apiGroups: readonly string[], resources: readonly string[], verbs: readonly string[]) {
  return { apiGroups, resources, verbs };
}

function aggregateTo(role: string): Record<string, string> {
  return { [`${GROUP}/aggregate-to-${role}`]: 'true' };
}

function aggregated(...roles: readonly string[]) {
  return { aggregationRule: { clusterRoleSelectors: roles.map((role) => ({ matchLabels: aggregateTo(role) })) } };
}

function put(store: ObjectStore, kind: string, name: string, content: object, labels?: Record<string, string>): void {
  const type: GroupVersionResource = { group: GROUP, version: 'v1', resource: `${kind.toLowerCase()}s` };
  const seeded = { ...labels, 'kubernetes.io/bootstrapping': 'rbac-defaults' };
  const object: KubeObject = { apiVersion: `${GROUP}/v1`, kind, metadata: { name, labels: seeded }, ...content };
  store.create(type, object);
}
