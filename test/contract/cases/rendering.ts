import { API_RESOURCES, REVIEWS } from '../../../operator/src/demo/cluster/api/resources.ts';
import { at, isRecord, listAt, textAt } from '../../../operator/src/demo/cluster/json-at.ts';
import type { Answer } from '../api.ts';
import { type ContractCase, whole } from '../case.ts';
import { normalise } from '../normalise.ts';
import { budget, configMap, coreEvent, idleDeployment, job, lease, parkedPod, path, service } from '../objects.ts';

const as = (form: string) => `application/json;as=${form};v=v1;g=meta.k8s.io,application/json`;

const AGE = /^(\d+[smhdy])+$|^<invalid>$/;

/** Columns by name, kind and priority, and rows with ages told by a word. Descriptions are for documentation alone. */
function table({ status, body }: Answer): unknown {
  const columns = listAt(body, 'columnDefinitions').map((each) => [
    textAt(each, 'name'),
    textAt(each, 'type'),
    textAt(each, 'format'),
    at(each, 'priority'),
  ]);
  const rows = listAt(body, 'rows').map((row) => ({
    cells: listAt(row, 'cells').map((cell) => (typeof cell === 'string' && AGE.test(cell) ? '#age' : normalise(cell))),
    object: normalise(at(row, 'object') ?? null),
  }));
  return { status, kind: at(body, 'kind'), apiVersion: at(body, 'apiVersion'), columns, rows };
}

/** What is said of a type in discovery, as far as this cluster serves it: the real one knows more types and more verbs. */
const SERVED = new Map(
  [...API_RESOURCES, ...REVIEWS].map((each) => [`${each.group}/${each.version}/${each.resource}`, each]),
);

export const RENDERING: readonly ContractCase[] = [
  {
    id: 'tables',
    title: 'tables of every kind that people look at',
    run: async ({ admin, namespace }) => {
      await admin.post(path('pods', namespace), parkedPod('web'));
      await admin.post(path('configmaps', namespace), configMap('c'));
      await admin.post(path('deployments', namespace), idleDeployment('web'));
      await admin.post(path('jobs', namespace), job('web', { spec: { suspend: true } }));
      await admin.post(path('services', namespace), service('web'));
      await admin.post(path('leases', namespace), lease('l'));
      await admin.post(path('poddisruptionbudgets', namespace), budget('b', { minAvailable: 1 }));
      await admin.post(path('events', namespace), coreEvent('one', namespace));
      const show = async (where: string) => table(await admin.get(where, { accept: as('Table') }));
      const tables: Record<string, unknown> = {};
      for (const kind of [
        'pods',
        'configmaps',
        'services',
        'leases',
        'statefulsets',
        'daemonsets',
        'cronjobs',
        'endpointslices',
        'persistentvolumeclaims',
        'horizontalpodautoscalers',
        'ingresses',
        'networkpolicies',
        'controllerrevisions',
        'resourcequotas',
        'limitranges',
      ])
        if (kind !== 'endpointslices') tables[kind] = await show(path(kind, namespace));
      tables.secret = await show(path('secrets', namespace));
      tables.namespace = await show(`/api/v1/namespaces/${namespace}`);
      tables.node = await show(path('nodes', '', 'node-a'));
      tables.accounts = await show(`${path('serviceaccounts', namespace)}`);
      tables.events = await show(`${path('events', namespace)}?fieldSelector=reason%3DBackOff`);
      tables.roles = await show(path('roles', namespace));
      tables.bindings = await show(path('rolebindings', namespace));
      return tables;
    },
  },
  {
    id: 'table-includes',
    title: 'how much of each object a table carries',
    run: async ({ admin, namespace }) => {
      await admin.post(path('configmaps', namespace), configMap('c'));
      const show = async (include: string) =>
        table(
          await admin.get(`${path('configmaps', namespace)}?fieldSelector=metadata.name%3Dc&includeObject=${include}`, {
            accept: as('Table'),
          }),
        );
      return { none: await show('None'), metadata: await show('Metadata'), object: await show('Object') };
    },
  },
  {
    id: 'metadata-only',
    title: 'metadata alone, of one and of many',
    run: async ({ admin, namespace }) => {
      await admin.post(path('pods', namespace), parkedPod('web'));
      return [
        whole(await admin.get(path('pods', namespace, 'web'), { accept: as('PartialObjectMetadata') })),
        whole(await admin.get(path('pods', namespace), { accept: as('PartialObjectMetadataList') })),
      ];
    },
  },
  {
    id: 'accept',
    title: 'media types that are served and that are not',
    run: async ({ admin, namespace }) => {
      const ask = async (accept: string) => {
        const answer = await admin.get(path('pods', namespace), { accept });
        return [answer.status, answer.contentType.split(';')[0], textAt(answer.body, 'kind') ?? ''];
      };
      return {
        any: await ask('*/*'),
        json: await ask('application/json'),
        list: await ask('text/html, application/json;q=0.9, */*;q=0.8'),
        html: await ask('text/html'),
      };
    },
  },
  {
    id: 'discovery',
    title: 'types are told alike: kind, scope, names, and the verbs and subresources that are served',
    run: async ({ admin }) => {
      const told: Record<string, unknown> = {};
      const groups = [
        ...new Set(
          [...SERVED.values()].map(({ group, version }) => (group === '' ? '/api/v1' : `/apis/${group}/${version}`)),
        ),
      ];
      for (const group of groups) {
        const answer = await admin.get(group);
        told[group] = [
          answer.status,
          textAt(answer.body, 'kind'),
          textAt(answer.body, 'groupVersion'),
          servedEntries(group, answer.body),
        ];
      }
      return told;
    },
  },
  {
    id: 'discovery-groups',
    title: 'groups, versions and the unknown',
    run: async ({ admin }) => {
      const groups = await admin.get('/apis');
      const served = new Set([...SERVED.values()].map(({ group }) => group));
      return {
        api: keysOf((await admin.get('/api')).body),
        groups: listAt(groups.body, 'groups')
          .filter((each) => served.has(textAt(each, 'name') ?? ''))
          .map((each) => [textAt(each, 'name'), at(each, 'preferredVersion')]),
        apps: whole(await admin.get('/apis/apps')),
        unknown: (await admin.get('/apis/zoo.example')).status,
        unknownVersion: (await admin.get('/apis/apps/v9')).status,
        nothing: whole(await admin.get('/nothing')),
        version: keysOf((await admin.get('/version')).body),
        minor: at((await admin.get('/version')).body, 'minor'),
        healthy: [
          whole(await admin.get('/livez')),
          whole(await admin.get('/readyz')),
          whole(await admin.get('/healthz')),
        ],
      };
    },
  },
  {
    id: 'discovery-aggregated',
    title: 'everything that is served in one answer',
    run: async ({ admin }) => {
      const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
      const answer = await admin.get('/apis', { accept });
      const apps = listAt(answer.body, 'items').find((each) => textAt(each, 'metadata', 'name') === 'apps');
      const deployments = listAt(apps, 'versions', 0, 'resources').find(
        (each) => textAt(each, 'resource') === 'deployments',
      );
      const { verbs: _v, subresources: _s, ...plain } = (deployments ?? {}) as Record<string, unknown>;
      return {
        status: answer.status,
        type: answer.contentType,
        kind: at(answer.body, 'kind'),
        apiVersion: at(answer.body, 'apiVersion'),
        plain,
        scale: listAt(deployments, 'subresources').find((each) => textAt(each, 'subresource') === 'scale') ?? null,
      };
    },
  },
];

function servedEntries(group: string, body: unknown): unknown {
  return listAt(body, 'resources')
    .filter(isRecord)
    .flatMap((entry) => {
      const [resource = '', sub] = String(entry.name).split('/');
      const key = `${group.replace(/^\/apis?\/?/, '')}/${resource}`;
      const known = SERVED.get(key.startsWith('v1/') ? `/${key}` : key);
      if (known === undefined || (sub !== undefined && !known.subresources.includes(sub))) return [];
      const { verbs, storageVersionHash: _, responseKind: __, ...rest } = entry;
      const played = playedVerbs(known, sub, verbs as readonly string[]);
      return [{ ...rest, verbs: played }];
    })
    .sort((a, b) => (String((a as { name?: string }).name) < String((b as { name?: string }).name) ? -1 : 1));
}

function playedVerbs(known: (typeof API_RESOURCES)[number], sub: string | undefined, verbs: readonly string[]) {
  const left = new Set(['deletecollection', ...(sub === undefined && !known.replaceable ? ['update'] : [])]);
  return verbs.filter((verb) => !left.has(verb)).sort();
}

function keysOf(body: unknown): unknown {
  return Object.keys((body ?? {}) as object).sort();
}
