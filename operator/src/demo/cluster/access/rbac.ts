import { labelSelectorTest, labelsOf } from '../api/selectors.ts';
import { listAt, recordAt, textAt, textsAt } from '../json-at.ts';
import type { KubeObject } from '../object.ts';
import type { ObjectStore } from '../store.ts';
import { type Identity, MASTERS, SERVICE_ACCOUNT_PREFIX } from './identity.ts';

export type Ask =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      /** Empty: all namespaces, or a type without namespaces. */
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

export type Verdict =
  | { readonly kind: 'allowed'; readonly reason: string }
  | { readonly kind: 'no-opinion'; readonly reason: string };

/** A rule that holds for somebody, and the binding it came by. */
export interface HeldRule {
  readonly rule: unknown;
  readonly via: string;
}

const GROUP = 'rbac.authorization.k8s.io';
const type = (resource: string) => ({ group: GROUP, version: 'v1', resource });
const ROLES = type('roles');
const CLUSTER_ROLES = type('clusterroles');
const ROLE_BINDINGS = type('rolebindings');
const CLUSTER_ROLE_BINDINGS = type('clusterrolebindings');

/** Works out from the stored roles and bindings whether the identity may; nothing is cached, so a change holds from the next request on. */
export function authorize(store: ObjectStore, who: Identity, ask: Ask): Verdict {
  if (who.groups.includes(MASTERS)) return { kind: 'allowed', reason: '' };
  const missing: string[] = [];
  const namespace = ask.kind === 'resource' ? ask.namespace : '';
  for (const { rule, via } of heldRules(store, who, namespace, missing)) {
    if (covers(rule, ask)) return { kind: 'allowed', reason: `RBAC: allowed by ${via}` };
  }
  return { kind: 'no-opinion', reason: missing.length > 0 ? `RBAC: ${missing.join(', ')}` : '' };
}

/** Every rule that holds for the identity in the namespace (and cluster-wide); names of roles that are bound and do not exist go to `missing`. */
export function* heldRules(
  store: ObjectStore,
  who: Identity,
  namespace: string,
  missing: string[] = [],
): Generator<HeldRule> {
  if (who.groups.includes(MASTERS)) yield { rule: EVERYTHING, via: `Group "${MASTERS}"` };
  for (const binding of store.list(CLUSTER_ROLE_BINDINGS)) yield* rulesOf(store, who, binding, missing);
  if (namespace === '') return;
  for (const binding of store.list(ROLE_BINDINGS, namespace)) yield* rulesOf(store, who, binding, missing);
}

const EVERYTHING = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], nonResourceURLs: ['*'] };

function* rulesOf(store: ObjectStore, who: Identity, binding: KubeObject, missing: string[]): Generator<HeldRule> {
  const namespace = binding.metadata.namespace;
  const subject = listAt(binding, 'subjects').find((each) => isSubject(each, who, namespace ?? ''));
  if (!subject) return;
  const kind = textAt(binding, 'roleRef', 'kind') ?? '';
  const name = textAt(binding, 'roleRef', 'name') ?? '';
  const role = kind === 'Role' ? store.get(ROLES, namespace ?? '', name) : store.get(CLUSTER_ROLES, '', name);
  if (!role) {
    missing.push(`${kind.toLowerCase()}.${GROUP} "${name}" not found`);
    return;
  }
  const bindingName = namespace === undefined ? binding.metadata.name : `${binding.metadata.name}/${namespace}`;
  const via = `${binding.kind} "${bindingName}" of ${kind} "${name}" to ${describeSubject(subject)}`;
  for (const rule of effectiveRules(store, role)) yield { rule, via };
}

function effectiveRules(store: ObjectStore, role: KubeObject): readonly unknown[] {
  const selectors = listAt(role, 'aggregationRule', 'clusterRoleSelectors').map(labelSelectorTest);
  if (selectors.length === 0) return listAt(role, 'rules');
  const gathered = store
    .list(CLUSTER_ROLES)
    .filter((each) => each !== role && selectors.some((test) => test(labelsOf(each))));
  return [...listAt(role, 'rules'), ...gathered.flatMap((each) => listAt(each, 'rules'))];
}

function isSubject(subject: unknown, who: Identity, bindingNamespace: string): boolean {
  const name = textAt(subject, 'name') ?? '';
  switch (textAt(subject, 'kind')) {
    case 'User':
      return name === who.username;
    case 'Group':
      return who.groups.includes(name);
    case 'ServiceAccount':
      return who.username === `${SERVICE_ACCOUNT_PREFIX}${textAt(subject, 'namespace') ?? bindingNamespace}:${name}`;
    default:
      return false;
  }
}

function describeSubject(subject: unknown): string {
  const { kind, name, namespace } = recordAt(subject);
  return `${kind} "${namespace ? `${name}/${namespace}` : name}"`;
}

function covers(rule: unknown, ask: Ask): boolean {
  if (!includes(textsAt(rule, 'verbs'), ask.verb)) return false;
  if (ask.kind === 'path') return textsAt(rule, 'nonResourceURLs').some((url) => matchesPath(url, ask.path));
  const names = textsAt(rule, 'resourceNames');
  return (
    includes(textsAt(rule, 'apiGroups'), ask.group) &&
    coversResource(textsAt(rule, 'resources'), ask.resource, ask.subresource) &&
    (names.length === 0 || (ask.name !== '' && names.includes(ask.name)))
  );
}

function coversResource(resources: readonly string[], resource: string, subresource: string): boolean {
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  return includes(resources, full) || (subresource !== '' && resources.includes(`*/${subresource}`));
}

function includes(values: readonly string[], wanted: string): boolean {
  return values.includes('*') || values.includes(wanted);
}

function matchesPath(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1).replace(/\*+$/, ''));
}
