import { type Answer, json } from './exchange.ts';
import { API_RESOURCES, type ApiResource, groupVersion, isReview, REVIEWS, SUBRESOURCE_KINDS } from './resources.ts';

const ALL = [...API_RESOURCES, ...REVIEWS];
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Answers the paths by which clients learn what is served; undefined for any other path. */
export function discover(path: string, accept: string): Answer | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const [root, group = '', version = '', more] = parts;
  if (root === 'api') {
    if (group === '') return wantsAggregated(accept) ? aggregated(['']) : coreVersions();
    return version === '' ? resourceList('', group) : undefined;
  }
  if (root !== 'apis' || more !== undefined) return undefined;
  if (group === '') return wantsAggregated(accept) ? aggregated(namedGroups()) : json(200, groupList());
  if (!namedGroups().includes(group)) return undefined;
  return version === ''
    ? json(200, { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) })
    : resourceList(group, version);
}

function wantsAggregated(accept: string): boolean {
  return accept.split(',').some((type) => type.includes('as=APIGroupDiscoveryList') && /v=v2(;|$|\s)/.test(`${type};`));
}

function namedGroups(): readonly string[] {
  return GROUPS_IN_ORDER;
}

/** Clients that find a name in several groups take the first. */
const GROUPS_IN_ORDER: readonly string[] = [
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
];

function versionsOf(group: string): readonly string[] {
  return [...new Set(ALL.filter((each) => each.group === group).map(({ version }) => version))];
}

function coreVersions(): Answer {
  return json(200, { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] });
}

function groupList() {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: namedGroups().map(groupEntry) };
}

function groupEntry(name: string) {
  const versions = versionsOf(name).map((version) => ({
    groupVersion: groupVersion({ group: name, version }),
    version,
  }));
  return { name, versions, preferredVersion: versions[0] };
}

function resourceList(group: string, version: string): Answer | undefined {
  const resources = ALL.filter((each) => each.group === group && each.version === version);
  if (resources.length === 0) return undefined;
  return json(200, {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: groupVersion({ group, version }),
    resources: resources.flatMap(plainEntries),
  });
}

function plainEntries(resource: ApiResource) {
  const { resource: name, singular, namespaced, kind, shortNames, categories } = resource;
  const short = shortNames.length > 0 ? { shortNames } : {};
  const grouped = categories.length > 0 ? { categories } : {};
  return [
    { name, singularName: singular, namespaced, kind, verbs: verbsOf(resource), ...short, ...grouped },
    ...resource.subresources.map((sub) => {
      const own = subresourceKind(resource, sub);
      const foreign = own.group === resource.group ? {} : { group: own.group, version: own.version };
      return { name: `${name}/${sub}`, singularName: '', namespaced, ...foreign, kind: own.kind, verbs: own.verbs };
    }),
  ];
}

function aggregated(groups: readonly string[]): Answer {
  const body = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((group) => ({
      metadata: { ...(group ? { name: group } : {}), creationTimestamp: null },
      versions: versionsOf(group).map((version) => ({
        version,
        freshness: 'Current',
        resources: ALL.filter((each) => each.group === group && each.version === version).map(aggregatedEntry),
      })),
    })),
  };
  return { code: 200, text: JSON.stringify(body), contentType: AGGREGATED };
}

function aggregatedEntry(resource: ApiResource) {
  const { kind, resource: name, singular, namespaced, shortNames, categories } = resource;
  return {
    resource: name,
    // Empty where it is the group and version that this stands under.
    responseKind: { group: '', version: '', kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbsOf(resource),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(resource.subresources.length > 0
      ? {
          subresources: resource.subresources.map((subresource) => {
            const { verbs, ...responseKind } = subresourceKind(resource, subresource);
            return { subresource, responseKind, verbs };
          }),
        }
      : {}),
  };
}

function verbsOf(resource: ApiResource): readonly string[] {
  if (isReview(resource)) return ['create'];
  return ['create', 'delete', 'get', 'list', 'patch', ...(resource.replaceable ? ['update'] : []), 'watch'];
}

function subresourceKind(resource: ApiResource, subresource: string) {
  const { group, version, kind } = resource;
  const own = { group, version, kind, verbs: subresource === 'log' ? ['get'] : ['get', 'patch', 'update'] };
  return SUBRESOURCE_KINDS[subresource] ?? own;
}
