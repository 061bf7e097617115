import { at, listAt, textAt, textsAt } from '../../../operator/src/demo/cluster/json-at.ts';
import { type ContractCase, whole } from '../case.ts';
import { configMap, idleDeployment, newerEvent, newerEvents, parkedPod, path } from '../objects.ts';

const AUTHORIZATION = 'authorization.k8s.io/v1';

function selfReview(attributes: object): object {
  return { apiVersion: AUTHORIZATION, kind: 'SelfSubjectAccessReview', spec: { resourceAttributes: attributes } };
}

/** Rules of a review as one comparable list; how they are split and ordered says nothing. */
function ruleLines(body: unknown): readonly string[] {
  const lines = new Set<string>();
  for (const rule of listAt(body, 'status', 'resourceRules'))
    for (const verb of textsAt(rule, 'verbs'))
      for (const group of textsAt(rule, 'apiGroups'))
        for (const resource of textsAt(rule, 'resources'))
          lines.add(`${verb} ${group}/${resource} ${textsAt(rule, 'resourceNames').join(',')}`.trim());
  for (const rule of listAt(body, 'status', 'nonResourceRules'))
    for (const verb of textsAt(rule, 'verbs'))
      for (const url of textsAt(rule, 'nonResourceURLs')) lines.add(`${verb} ${url}`);
  return [...lines].sort();
}

export const ACCESS: readonly ContractCase[] = [
  {
    id: 'unknown-token',
    title: 'a token that nobody gave out is 401, whatever is asked',
    run: async ({ stranger, namespace }) => [
      whole(await stranger.get(path('pods', namespace))),
      whole(await stranger.patch(path('deployments', namespace, 'web'), [])),
      whole(await stranger.get('/version')),
    ],
  },
  {
    id: 'anonymous',
    title: 'nobody in particular may look at the health and at nothing else',
    run: async ({ anonymous, namespace }) => [
      whole(await anonymous.get(path('pods', namespace))),
      whole(await anonymous.get('/api/v1')),
      (await anonymous.get('/version')).status,
      (await anonymous.get('/livez')).status,
      (await anonymous.get('/readyz')).status,
      (await anonymous.get('/healthz')).status,
    ],
  },
  {
    id: 'forbidden',
    title: 'what the operator may not do is 403 in the words that name the missing right',
    run: async ({ operator, admin, namespace }) => {
      await admin.post(path('configmaps', namespace), configMap('other'));
      const secret = path('secrets', namespace, 'any');
      return {
        secret: whole(await operator.get(secret)),
        secrets: whole(await operator.get(path('secrets', namespace))),
        allSecrets: whole(await operator.get(path('secrets'))),
        watchSecrets: whole(await operator.get(`${path('secrets')}?watch=1`)),
        createPod: whole(await operator.post(path('pods', namespace), parkedPod('web'))),
        createJob: whole(await operator.post(path('jobs', namespace), {})),
        exec: whole(await operator.post(`${path('pods', namespace, 'web', 'exec')}?command=sh`, undefined)),
        execGet: whole(await operator.get(`${path('pods', namespace, 'web', 'exec')}?command=sh`)),
        evictElsewhere: whole(await operator.post(path('pods', 'default', 'web', 'eviction'), {})),
        patchNode: whole(await operator.patch(path('nodes', '', 'node-a'), [])),
        patchElsewhere: whole(await operator.patch(path('deployments', 'default', 'web'), [])),
        deleteDeployment: whole(await operator.delete(path('deployments', namespace, 'web'))),
        deleteCollection: whole(await operator.delete(path('pods', namespace))),
        putScale: whole(await operator.put(path('deployments', namespace, 'web', 'scale'), {})),
        getScale: whole(await operator.get(path('deployments', namespace, 'web', 'scale'))),
        coreEvent: whole(await operator.post(path('events', namespace), {})),
        eventElsewhere: whole(await operator.post(newerEvents('default'), newerEvent('x', 'default'))),
        tokenReview: whole(await operator.post(path('tokenreviews'), {})),
        accessReview: whole(await operator.post(path('subjectaccessreviews'), {})),
        patchStatus: whole(await operator.patch(path('deployments', namespace, 'web', 'status'), [])),
        createNamespace: whole(await operator.post('/api/v1/namespaces', {})),
        metrics: whole(await operator.get('/metrics')),
        unicorns: whole(await operator.get('/apis/zoo.example/v1/unicorns')),
      };
    },
  },
  {
    id: 'forbidden-before-found',
    title: 'rights are looked at before the object is',
    run: async ({ operator }) => [
      whole(await operator.delete(path('pods', 'default', 'nobody'))),
      whole(await operator.get(path('configmaps', 'hephaisto', 'nobody'))),
    ],
  },
  {
    id: 'self-access-review',
    title: 'the operator asks what it may, each in turn',
    run: async ({ operator, namespace }) => {
      const ask = async (attributes: object) => {
        const answer = await operator.post(path('selfsubjectaccessreviews'), selfReview(attributes));
        const reason = textAt(answer.body, 'status', 'reason') ?? '';
        return [
          answer.status,
          at(answer.body, 'status', 'allowed'),
          at(answer.body, 'status', 'denied') ?? 'not told',
          reason,
        ];
      };
      return {
        patchHere: await ask({ namespace, verb: 'patch', group: 'apps', resource: 'deployments' }),
        patchEverywhere: await ask({ verb: 'patch', group: 'apps', resource: 'deployments' }),
        patchElsewhere: await ask({ namespace: 'default', verb: 'patch', group: 'apps', resource: 'deployments' }),
        scaleHere: await ask({
          namespace,
          verb: 'patch',
          group: 'apps',
          resource: 'deployments',
          subresource: 'scale',
        }),
        deletePods: await ask({ namespace, verb: 'delete', resource: 'pods' }),
        evictPods: await ask({ namespace, verb: 'create', resource: 'pods', subresource: 'eviction' }),
        collection: await ask({ namespace, verb: 'deletecollection', resource: 'pods' }),
        logs: await ask({ namespace, verb: 'get', resource: 'pods', subresource: 'log' }),
        exec: await ask({ namespace, verb: 'create', resource: 'pods', subresource: 'exec' }),
        secrets: await ask({ namespace, verb: 'get', resource: 'secrets' }),
        star: await ask({ namespace, verb: '*', group: '*', resource: '*' }),
        listPods: await ask({ verb: 'list', resource: 'pods' }),
        watchNodes: await ask({ verb: 'watch', resource: 'nodes' }),
        impersonate: await ask({ verb: 'impersonate', resource: 'users' }),
        escalate: await ask({ verb: 'escalate', group: 'rbac.authorization.k8s.io', resource: 'clusterroles' }),
        ownSwitches: await ask({
          namespace: 'hephaisto',
          verb: 'get',
          resource: 'configmaps',
          name: 'hephaisto-switches',
        }),
        otherMap: await ask({ namespace: 'hephaisto', verb: 'get', resource: 'configmaps', name: 'other' }),
        anyMap: await ask({ namespace: 'hephaisto', verb: 'get', resource: 'configmaps' }),
      };
    },
  },
  {
    id: 'self-access-review-form',
    title: 'the whole answer to a review, and forms that are none',
    run: async ({ operator, namespace }) => [
      whole(
        await operator.post(
          path('selfsubjectaccessreviews'),
          selfReview({ namespace, verb: 'get', resource: 'secrets' }),
        ),
      ),
      whole(
        await operator.post(path('selfsubjectaccessreviews'), {
          apiVersion: AUTHORIZATION,
          kind: 'SelfSubjectAccessReview',
          spec: { nonResourceAttributes: { verb: 'get', path: '/metrics' } },
        }),
      ),
      whole(
        await operator.post(path('selfsubjectaccessreviews'), {
          apiVersion: AUTHORIZATION,
          kind: 'SelfSubjectAccessReview',
          spec: {},
        }),
      ),
      whole(await operator.get(path('selfsubjectaccessreviews'))),
    ],
  },
  {
    id: 'self-rules-review',
    title: 'everything the operator may do in a namespace',
    run: async ({ operator, namespace }) => {
      const ask = async (where: string) =>
        operator.post(path('selfsubjectrulesreviews'), {
          apiVersion: AUTHORIZATION,
          kind: 'SelfSubjectRulesReview',
          spec: { namespace: where },
        });
      const here = await ask(namespace);
      return {
        status: here.status,
        incomplete: at(here.body, 'status', 'incomplete'),
        here: ruleLines(here.body),
        own: ruleLines((await ask('hephaisto')).body),
        nowhere: whole(await ask('')),
      };
    },
  },
  {
    id: 'access-reviews-of-others',
    title: 'an administrator asks for somebody else',
    run: async ({ admin, namespace }) => {
      const user = 'system:serviceaccount:hephaisto:hephaisto';
      const groups = ['system:serviceaccounts', 'system:serviceaccounts:hephaisto', 'system:authenticated'];
      const spec = { user, groups, resourceAttributes: { namespace, verb: 'delete', resource: 'pods' } };
      return [
        whole(
          await admin.post(path('subjectaccessreviews'), {
            apiVersion: AUTHORIZATION,
            kind: 'SubjectAccessReview',
            spec,
          }),
        ),
        whole(
          await admin.post(path('localsubjectaccessreviews', namespace), {
            apiVersion: AUTHORIZATION,
            kind: 'LocalSubjectAccessReview',
            metadata: { namespace },
            spec,
          }),
        ),
      ];
    },
  },
  {
    id: 'who-am-i',
    title: 'an account asks who it is',
    run: async ({ operator }) => {
      const answer = await operator.post(path('selfsubjectreviews'), {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'SelfSubjectReview',
      });
      return [
        answer.status,
        textAt(answer.body, 'status', 'userInfo', 'username'),
        at(answer.body, 'status', 'userInfo', 'groups'),
      ];
    },
  },
  {
    id: 'token-review',
    title: 'a token is told from one that is none',
    run: async ({ admin, operatorToken }) => {
      const ask = async (token: string, audiences?: readonly string[]) => {
        const answer = await admin.post(path('tokenreviews'), {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: { token, ...(audiences === undefined ? {} : { audiences }) },
        });
        const { error } = (at(answer.body, 'status') ?? {}) as { error?: string };
        return {
          status: answer.status,
          authenticated: at(answer.body, 'status', 'authenticated') ?? 'not told',
          username: at(answer.body, 'status', 'user', 'username') ?? 'nobody',
          groups: at(answer.body, 'status', 'user', 'groups') ?? [],
          audiences: at(answer.body, 'status', 'audiences') ?? 'not told',
          failed: error !== undefined,
        };
      };
      return {
        known: await ask(operatorToken),
        unknown: await ask('nonsense'),
        audience: await ask(operatorToken, ['https://kubernetes.default.svc']),
        otherAudience: await ask(operatorToken, ['somebody-else']),
      };
    },
  },
  {
    id: 'token-request',
    title: 'a token of an account is asked for',
    run: async ({ admin, namespace }) => {
      const ask = async (name: string, expirationSeconds: number) =>
        admin.post(path('serviceaccounts', namespace, name, 'token'), {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: { expirationSeconds },
        });
      const good = await ask('default', 3600);
      return {
        status: good.status,
        kind: at(good.body, 'kind'),
        spec: at(good.body, 'spec', 'expirationSeconds'),
        token: typeof at(good.body, 'status', 'token'),
        name: at(good.body, 'metadata', 'name'),
        short: whole(await ask('default', 60)),
        missing: whole(await ask('nobody', 3600)),
      };
    },
  },
  {
    id: 'operator-event',
    title: 'the operator may say what it did where it may act',
    run: async ({ operator, namespace }) =>
      whole(await operator.post(newerEvents(namespace), newerEvent('acted', namespace))),
  },
  {
    id: 'rights-follow-roles',
    title: 'a right ends with its binding and comes back with it',
    run: async ({ admin, operator, namespace }) => {
      await admin.post(path('deployments', namespace), idleDeployment('web'));
      const where = path('deployments', namespace, 'web');
      const binding = path('rolebindings', namespace, 'hephaisto-act');
      const kept = (await admin.get(binding)).body as { metadata: object };
      const may = async () => (await operator.patch(`${where}?dryRun=All`, [])).status;
      const settled = async (wanted: number) => {
        let seen = await may();
        for (let i = 0; i < 40 && seen !== wanted; i += 1) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          seen = await may();
        }
        return seen;
      };
      const before = await settled(200);
      const removed = await admin.delete(binding);
      const without = await settled(403);
      const { resourceVersion: _, uid: __, ...metadata } = kept.metadata as Record<string, unknown>;
      await admin.post(path('rolebindings', namespace), { ...kept, metadata });
      return [before, whole(removed), without, await settled(200)];
    },
  },
];
