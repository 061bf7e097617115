import { at, listAt, textAt } from '../../../operator/src/demo/cluster/json-at.ts';
import { type ContractCase, type Stage, until, whole } from '../case.ts';
import { configMap, idleDeployment, parkedPod, path } from '../objects.ts';

async function threePods({ admin, namespace }: Stage): Promise<void> {
  for (const name of ['ant', 'bee', 'cat']) await admin.post(path('pods', namespace), parkedPod(name));
}

/** Kinds that the product reads one by one. */
const READ_BY_NAME: readonly string[] = [
  'pods',
  'deployments',
  'statefulsets',
  'daemonsets',
  'replicasets',
  'controllerrevisions',
  'jobs',
  'cronjobs',
  'services',
  'endpoints',
  'endpointslices',
  'events',
  'horizontalpodautoscalers',
  'poddisruptionbudgets',
  'persistentvolumeclaims',
  'serviceaccounts',
  'resourcequotas',
  'limitranges',
];

const CLUSTER_SCOPED: readonly string[] = ['nodes', 'namespaces', 'persistentvolumes'];

export const READING: readonly ContractCase[] = [
  {
    id: 'get-pod',
    title: 'a pod is read with everything that was filled in',
    run: async ({ admin, operator, namespace }) => {
      await admin.post(path('pods', namespace), parkedPod('web'));
      return whole(await operator.get(path('pods', namespace, 'web')));
    },
  },
  {
    id: 'get-missing',
    title: 'what does not exist is 404 by name, whatever the kind',
    run: async ({ operator, namespace }) => {
      const answers: Record<string, unknown> = {};
      for (const kind of READ_BY_NAME) answers[kind] = whole(await operator.get(path(kind, namespace, 'nobody')));
      for (const kind of CLUSTER_SCOPED) answers[kind] = whole(await operator.get(path(kind, '', 'nobody')));
      return answers;
    },
  },
  {
    id: 'get-unknown',
    title: 'unknown types, groups and paths are 404',
    run: async ({ admin, namespace }) => [
      whole(await admin.get(`/api/v1/namespaces/${namespace}/unicorns/one`)),
      whole(await admin.get(`/api/v1/namespaces/${namespace}/unicorns`)),
      whole(await admin.get(`/apis/zoo.example/v1/namespaces/${namespace}/unicorns`)),
      whole(await admin.get(`/apis/apps/v9/namespaces/${namespace}/deployments`)),
      whole(await admin.get(`/api/v1/namespaces/${namespace}/pods/web/unicorn`)),
    ],
  },
  {
    id: 'list-empty',
    title: 'collections without members, of every kind that is read',
    run: async ({ operator, namespace }) => {
      const answers: Record<string, unknown> = {};
      const filled = new Set(['serviceaccounts', 'events']);
      for (const kind of READ_BY_NAME.filter((each) => !filled.has(each)))
        answers[kind] = whole(await operator.get(path(kind, namespace)));
      answers.events = whole(await operator.get(`${path('events', namespace)}?fieldSelector=type%3DNobody`));
      answers.newerEvents = whole(
        await operator.get(`/apis/events.k8s.io/v1/namespaces/${namespace}/events?fieldSelector=type%3DNobody`),
      );
      answers.volumes = whole(await operator.get(path('persistentvolumes')));
      return answers;
    },
  },
  {
    id: 'list-nodes',
    title: 'nodes, with conditions, capacity and addresses',
    run: async ({ operator }) => {
      const answer = await operator.get(path('nodes'));
      return whole(answer);
    },
  },
  {
    id: 'get-namespace',
    title: 'a namespace with its labels, finalizer and phase',
    run: async ({ operator, namespace }) => whole(await operator.get(`/api/v1/namespaces/${namespace}`)),
  },
  {
    id: 'list-everywhere',
    title: 'a list over all namespaces, narrowed by a label',
    run: async (stage) => {
      const { admin, operator, namespace } = stage;
      await admin.post(path('pods', namespace), parkedPod('web', { labels: { only: 'list-everywhere' } }));
      return whole(await operator.get(`${path('pods')}?labelSelector=only%3Dlist-everywhere`));
    },
  },
  {
    id: 'list-pages',
    title: 'a list in pages ends where the whole list ends',
    run: async (stage) => {
      await threePods(stage);
      const base = `${path('pods', stage.namespace)}?limit=2`;
      const first = await stage.operator.get(base);
      const token = textAt(first.body, 'metadata', 'continue') ?? '';
      const second = await stage.operator.get(`${base}&continue=${encodeURIComponent(token)}`);
      const selective = await stage.operator.get(
        `${base}&labelSelector=${encodeURIComponent('app.kubernetes.io/name')}`,
      );
      const names = (body: unknown) => listAt(body, 'items').map((each) => textAt(each, 'metadata', 'name'));
      return {
        first: [first.status, names(first.body), at(first.body, 'metadata', 'remainingItemCount')],
        second: [second.status, names(second.body), at(second.body, 'metadata')].map(String),
        sameRevision:
          textAt(first.body, 'metadata', 'resourceVersion') === textAt(second.body, 'metadata', 'resourceVersion'),
        selective: [names(selective.body), at(selective.body, 'metadata', 'remainingItemCount') ?? 'not told'],
      };
    },
  },
  {
    id: 'list-page-frozen',
    title: 'a later page shows the collection as it was at the first',
    run: async (stage) => {
      await threePods(stage);
      const base = `${path('pods', stage.namespace)}?limit=1`;
      const first = await stage.operator.get(base);
      await stage.admin.delete(path('pods', stage.namespace, 'cat'), { gracePeriodSeconds: 0 });
      await stage.admin.post(path('pods', stage.namespace), parkedPod('dog'));
      const token = textAt(first.body, 'metadata', 'continue') ?? '';
      const rest = await stage.operator.get(
        `${path('pods', stage.namespace)}?continue=${encodeURIComponent(token)}&limit=9`,
      );
      return listAt(rest.body, 'items').map((each) => textAt(each, 'metadata', 'name'));
    },
  },
  {
    id: 'list-bad-queries',
    title: 'queries that make no sense are refused in words',
    run: async ({ operator, namespace }) => {
      const ask = async (query: string) => whole(await operator.get(`${path('pods', namespace)}?${query}`));
      return {
        continueToken: String(JSON.stringify(await ask('limit=1&continue=nonsense'))).includes(
          'continue key is not valid',
        ),
        revision: await ask('resourceVersion=abc'),
        limit: await ask('limit=abc'),
        matchWithoutRevision: await ask('resourceVersionMatch=Exact'),
        unknownMatch: await ask('resourceVersionMatch=Nearly&resourceVersion=1'),
      };
    },
  },
  {
    id: 'list-any-revision',
    title: 'revision 0 takes what is there, a known one is good enough',
    run: async (stage) => {
      await threePods(stage);
      const first = await stage.operator.get(path('pods', stage.namespace));
      const known = textAt(first.body, 'metadata', 'resourceVersion') ?? '';
      const count = async (query: string) => {
        const answer = await stage.operator.get(`${path('pods', stage.namespace)}?${query}`);
        return [answer.status, listAt(answer.body, 'items').length];
      };
      return [
        await count(`resourceVersion=${known}`),
        await count(`resourceVersion=${known}&resourceVersionMatch=NotOlderThan`),
      ];
    },
  },
  {
    id: 'list-item-form',
    title: 'items of a list carry no kind of their own',
    run: async ({ admin, operator, namespace }) => {
      await admin.post(path('deployments', namespace), idleDeployment('web'));
      await until(
        () => admin.get(path('deployments', namespace, 'web')),
        ({ body }) => JSON.stringify(body).includes('NewReplicaSetAvailable'),
      );
      const answer = await operator.get(path('deployments', namespace));
      return {
        ...(whole(answer) as object),
        keys: Object.keys((listAt(answer.body, 'items')[0] ?? {}) as object).sort(),
      };
    },
  },
  {
    id: 'config-map-by-name',
    title: 'the one ConfigMap that the operator may read',
    run: async ({ admin, operator, namespace }) => {
      await admin.post(path('configmaps', namespace), configMap('other'));
      return {
        own: whole(await operator.get(path('configmaps', 'hephaisto', 'hephaisto-switches'))),
        byField: whole(
          await operator.get(`${path('configmaps', 'hephaisto')}?fieldSelector=metadata.name%3Dhephaisto-switches`),
        ),
        other: whole(await operator.get(path('configmaps', namespace, 'other'))),
        all: whole(await operator.get(path('configmaps', 'hephaisto'))),
      };
    },
  },
];
