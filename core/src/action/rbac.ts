import { ACTION_KINDS } from './catalogue.ts';
import type { ActionType, KubeWrite } from './types.ts';

/** A rule of a Role or ClusterRole as the API writes it. Lists are sorted, so that equal needs give equal text. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const READ = ['get', 'list', 'watch'] as const;

/** What watching, diagnosis and verification read, cluster-wide. Secrets are not here and never will be; ConfigMaps are only named, never read. */
export const READ_RULES: readonly PolicyRule[] = [
  {
    apiGroups: [''],
    resources: [
      'endpoints',
      'events',
      'limitranges',
      'namespaces',
      'nodes',
      'persistentvolumeclaims',
      'persistentvolumes',
      'pods',
      'resourcequotas',
      'serviceaccounts',
      'services',
    ],
    verbs: READ,
  },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  {
    apiGroups: ['apps'],
    resources: ['controllerrevisions', 'daemonsets', 'deployments', 'replicasets', 'statefulsets'],
    verbs: READ,
  },
  { apiGroups: ['batch'], resources: ['cronjobs', 'jobs'], verbs: READ },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: READ },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: READ },
  { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: READ },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses'], verbs: READ },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: READ },
];

/**
 * The objects of delivery tools that say whether a change would be taken back, and where to make it instead. Read by name only; without these rights
 * self-heal counts as unknown and a person is asked.
 */
export const GITOPS_READ_RULES: readonly PolicyRule[] = [
  { apiGroups: ['argoproj.io'], resources: ['applications'], verbs: ['get'] },
  { apiGroups: ['helm.toolkit.fluxcd.io'], resources: ['helmreleases'], verbs: ['get'] },
  { apiGroups: ['kustomize.toolkit.fluxcd.io'], resources: ['kustomizations'], verbs: ['get'] },
  {
    apiGroups: ['source.toolkit.fluxcd.io'],
    resources: ['buckets', 'gitrepositories', 'helmrepositories', 'ocirepositories'],
    verbs: ['get'],
  },
];

/** Asks the cluster whose token it is; held only where members of a group come in by their cluster's token. It changes nothing. */
export const TOKEN_REVIEW_RULE: PolicyRule = {
  apiGroups: ['authentication.k8s.io'],
  resources: ['tokenreviews'],
  verbs: ['create'],
};

/** Mirrors each action on its target; held wherever something may be acted on. */
const EVENT_RULE: PolicyRule = { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'] };

/** Rules of the one Role in an actionable namespace: exactly the calls of the enabled kinds, and the mirrored event. Empty without kinds. */
export function writeRules(enabled: readonly ActionType[]): readonly PolicyRule[] {
  if (enabled.length === 0) return [];
  const verbs = new Map<string, Set<string>>();
  for (const type of enabled)
    for (const need of ACTION_KINDS[type].rbac) {
      const key = `${need.apiGroup}\n${need.resource}`;
      verbs.set(key, (verbs.get(key) ?? new Set()).add(need.verb));
    }
  const rules = [...verbs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, set]) => {
      const [apiGroup = '', resource = ''] = key.split('\n');
      return { apiGroups: [apiGroup], resources: [resource], verbs: [...set].sort() };
    });
  return [...rules, EVENT_RULE];
}

/** The right that one call needs, as a Role spells it. */
export function rightOf(write: KubeWrite): { readonly resource: string; readonly verb: string } {
  if (write.verb === 'evict') return { resource: `${write.resource}/eviction`, verb: 'create' };
  const subresource = write.verb === 'patch' ? write.subresource : undefined;
  return {
    resource: subresource === undefined ? write.resource : `${write.resource}/${subresource}`,
    verb: write.verb,
  };
}

/** Rules of the Role in the operator's own namespace: the ConfigMap of switches, by name. */
export function switchRules(configMap: string): readonly PolicyRule[] {
  return [{ apiGroups: [''], resources: ['configmaps'], verbs: READ, resourceNames: [configMap] }];
}

export interface OperatorIdentity {
  readonly serviceAccount: string;
  readonly namespace: string;
  readonly configMap: string;
  /** Whether `auth.tokenReview.adminGroup` is set. */
  readonly reviewsTokens?: boolean;
}

type Manifest = Readonly<Record<string, unknown>>;

/**
 * Every object that gives the operator its rights: reading everywhere, writing only in the named namespaces, and its switches. The chart,
 * the demo and the tests all take it from here, so that none of them can grant more than the catalogue needs.
 */
export function rbacManifests(
  identity: OperatorIdentity,
  actionable: readonly { readonly namespace: string; readonly kinds: readonly ActionType[] }[],
): readonly Manifest[] {
  const name = identity.serviceAccount;
  const subjects = [{ kind: 'ServiceAccount', name, namespace: identity.namespace }];
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const roleRef = (kind: string, role: string): Manifest => ({
    apiGroup: 'rbac.authorization.k8s.io',
    kind,
    name: role,
  });
  const role = (namespace: string, roleName: string, rules: readonly PolicyRule[]): readonly Manifest[] => [
    { apiVersion, kind: 'Role', metadata: { name: roleName, namespace }, rules },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata: { name: roleName, namespace },
      subjects,
      roleRef: roleRef('Role', roleName),
    },
  ];
  const clusterRole = (roleName: string, rules: readonly PolicyRule[]): readonly Manifest[] => [
    { apiVersion, kind: 'ClusterRole', metadata: { name: roleName }, rules },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: roleName },
      subjects,
      roleRef: roleRef('ClusterRole', roleName),
    },
  ];
  return [
    ...clusterRole(`${name}-read`, [...READ_RULES, ...GITOPS_READ_RULES]),
    ...(identity.reviewsTokens === true ? clusterRole(`${name}-token-review`, [TOKEN_REVIEW_RULE]) : []),
    ...role(identity.namespace, `${name}-switches`, switchRules(identity.configMap)),
    ...actionable
      .filter(({ kinds }) => kinds.length > 0)
      .flatMap(({ namespace, kinds }) => role(namespace, `${name}-act`, writeRules(kinds))),
  ];
}
