import { writeRules } from './rbac.ts';
import { ACTION_TYPES, type ActionType } from './types.ts';

/** One question to the API server about ourselves. Namespace '' asks about all of them at once. */
export interface RightProbe {
  readonly namespace: string;
  readonly group: string;
  /** May name a subresource, as `pods/exec`. */
  readonly resource: string;
  readonly verb: string;
}

type Line = readonly [group: string, resource: string, verbs: readonly string[]];

const CHANGING = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;

/** Everything that the catalogue touches, with every way of changing it. */
const CATALOGUE: readonly Line[] = [
  ['', 'pods', CHANGING],
  ['', 'pods/eviction', ['create']],
  ['apps', 'deployments', CHANGING],
  ['apps', 'deployments/scale', ['update', 'patch']],
  ['apps', 'statefulsets', CHANGING],
  ['apps', 'statefulsets/scale', ['update', 'patch']],
  ['apps', 'daemonsets', CHANGING],
  ['apps', 'replicasets', CHANGING],
  ['batch', 'jobs', CHANGING],
  ['batch', 'cronjobs', CHANGING],
];

/** What would let a process read secrets, run code, or become somebody else; never needed. */
const NEVER: readonly Line[] = [
  ['*', '*', ['*']],
  ['', 'secrets', ['get', 'list', 'watch', ...CHANGING]],
  ['', 'pods/exec', ['create', 'get']],
  ['', 'pods/attach', ['create', 'get']],
  ['', 'pods/portforward', ['create']],
  ['', 'pods/ephemeralcontainers', ['patch', 'update']],
  ['', 'configmaps', CHANGING],
  ['', 'serviceaccounts', ['create', 'impersonate']],
  ['', 'serviceaccounts/token', ['create']],
  ['', 'persistentvolumeclaims', ['delete', 'deletecollection']],
  ['rbac.authorization.k8s.io', 'roles', [...CHANGING, 'escalate', 'bind']],
  ['rbac.authorization.k8s.io', 'rolebindings', CHANGING],
];

/** The same, for what has no namespace. */
const NEVER_CLUSTER: readonly Line[] = [
  ['', 'nodes', ['patch', 'update', 'delete']],
  ['', 'nodes/proxy', ['create', 'get']],
  ['', 'persistentvolumes', ['delete']],
  ['', 'namespaces', ['create', 'delete', 'patch', 'update']],
  ['', 'users', ['impersonate']],
  ['', 'groups', ['impersonate']],
  ['rbac.authorization.k8s.io', 'clusterroles', [...CHANGING, 'escalate', 'bind']],
  ['rbac.authorization.k8s.io', 'clusterrolebindings', CHANGING],
  ['admissionregistration.k8s.io', 'mutatingwebhookconfigurations', ['create', 'patch', 'update']],
  ['certificates.k8s.io', 'certificatesigningrequests/approval', ['update', 'patch']],
];

/** The closed matrix for one scope: every question that is asked at boot, needed or not. */
export function rightProbes(namespace: string): readonly RightProbe[] {
  const lines = namespace === '' ? [...CATALOGUE, ...NEVER, ...NEVER_CLUSTER] : [...CATALOGUE, ...NEVER];
  return lines.flatMap(([group, resource, verbs]) => verbs.map((verb) => ({ namespace, group, resource, verb })));
}

/** Whether the enabled kinds of action need the right in that namespace. Nothing that changes is ever needed everywhere. */
export function isNeeded(probe: RightProbe, enabled: readonly ActionType[]): boolean {
  if (probe.namespace === '') return false;
  return writeRules(enabled).some(
    (rule) =>
      rule.apiGroups.includes(probe.group) &&
      rule.resources.includes(probe.resource) &&
      rule.verbs.includes(probe.verb),
  );
}

/** Kinds of action that cannot be carried out without the right. */
export function kindsNeeding(probe: RightProbe, enabled: readonly ActionType[]): readonly ActionType[] {
  return ACTION_TYPES.filter((type) => enabled.includes(type) && isNeeded(probe, [type]));
}

export function probeText({ namespace, group, resource, verb }: RightProbe): string {
  const object = group === '' || group === '*' ? resource : `${resource}.${group}`;
  return `${verb} ${object} ${namespace === '' ? 'in all namespaces' : `in namespace ${namespace}`}`;
}
