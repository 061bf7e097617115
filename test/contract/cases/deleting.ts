import { at, textAt } from '../../../operator/src/demo/cluster/json-at.ts';
import { type ContractCase, type Stage, until, whole } from '../case.ts';
import { budget, configMap, deployment, idleDeployment, job, parkedPod, path, pod } from '../objects.ts';

const OTHER_UID = 'b3e4c5f6-0000-4000-8000-000000000001';

async function runningPod({ admin, namespace }: Stage, name = 'web'): Promise<unknown> {
  await admin.post(path('pods', namespace), pod(name, { spec: { terminationGracePeriodSeconds: 30 } }));
  const view = await until(
    () => admin.get(path('pods', namespace, name)),
    ({ body }) =>
      JSON.stringify(at(body, 'status', 'conditions') ?? []).includes('"type":"Ready","status":"True"') ||
      isReady(body),
  );
  return view.body;
}

function isReady(body: unknown): boolean {
  const conditions = at(body, 'status', 'conditions');
  return (
    Array.isArray(conditions) &&
    conditions.some((each) => textAt(each, 'type') === 'Ready' && textAt(each, 'status') === 'True')
  );
}

export const DELETING: readonly ContractCase[] = [
  {
    id: 'delete-preconditions',
    title: 'a delete that names another uid or revision is a conflict',
    run: async (stage) => {
      const { admin, operator, namespace } = stage;
      await admin.post(path('pods', namespace), parkedPod('web'));
      const where = path('pods', namespace, 'web');
      const options = { apiVersion: 'v1', kind: 'DeleteOptions' };
      const remove = async (preconditions: object) =>
        whole(await operator.delete(where, { ...options, preconditions }));
      const uid = textAt((await admin.get(where)).body, 'metadata', 'uid') ?? '';
      return {
        uid: await remove({ uid: OTHER_UID }),
        revision: await remove({ uid, resourceVersion: '1' }),
        dryByQuery: whole(await operator.delete(`${where}?dryRun=All`)),
        dryInBody: whole(await operator.delete(where, { ...options, preconditions: { uid }, dryRun: ['All'] })),
        dryRefused: whole(
          await operator.delete(where, { ...options, preconditions: { uid: OTHER_UID }, dryRun: ['All'] }),
        ),
        unknownDry: whole(await operator.delete(`${where}?dryRun=Some`)),
        still: (await admin.get(where)).status,
        done: whole(await operator.delete(where, { ...options, preconditions: { uid } })),
        gone: whole(await admin.get(where)),
        again: whole(await operator.delete(where, { preconditions: { uid } })),
      };
    },
  },
  {
    id: 'delete-dry-by-query-with-body',
    title: 'a body speaks alone: a dry run that stands in the query beside it is not heard',
    run: async ({ admin, namespace }) => {
      await admin.post(path('configmaps', namespace), configMap('c'));
      const answer = await admin.delete(`${path('configmaps', namespace, 'c')}?dryRun=All`, {
        propagationPolicy: 'Background',
      });
      return [answer.status, (await admin.get(path('configmaps', namespace, 'c'))).status];
    },
  },
  {
    id: 'delete-running-pod',
    title: 'a running pod is given its grace, and is gone when its kubelet says so',
    run: async (stage) => {
      await runningPod(stage);
      const { operator, admin, namespace } = stage;
      const answer = await operator.delete(path('pods', namespace, 'web'), { kind: 'DeleteOptions', apiVersion: 'v1' });
      const gone = await until(
        () => admin.get(path('pods', namespace, 'web')),
        ({ status }) => status === 404,
      );
      return {
        status: answer.status,
        leaving: at(answer.body, 'metadata', 'deletionTimestamp') !== undefined,
        grace: at(answer.body, 'metadata', 'deletionGracePeriodSeconds'),
        generation: at(answer.body, 'metadata', 'generation'),
        gone: whole(gone),
      };
    },
  },
  {
    id: 'delete-running-now',
    title: 'no grace: gone at once, and the answer shows it leaving',
    run: async (stage) => {
      await runningPod(stage);
      const { admin, namespace } = stage;
      const answer = await admin.delete(path('pods', namespace, 'web'), { gracePeriodSeconds: 0 });
      return [
        answer.status,
        at(answer.body, 'metadata', 'deletionTimestamp') !== undefined,
        at(answer.body, 'metadata', 'deletionGracePeriodSeconds') ?? 'absent',
        (await admin.get(path('pods', namespace, 'web'))).status,
      ];
    },
  },
  {
    id: 'delete-each-kind',
    title: 'what is answered for kinds other than pods',
    run: async ({ admin, namespace }) => {
      await admin.post(path('configmaps', namespace), configMap('c'));
      await admin.post(path('deployments', namespace), idleDeployment('d'));
      await admin.post(path('jobs', namespace), job('j', { spec: { suspend: true } }));
      return {
        configMap: whole(await admin.delete(path('configmaps', namespace, 'c'))),
        deployment: whole(await admin.delete(path('deployments', namespace, 'd'), { propagationPolicy: 'Background' })),
        job: whole(await admin.delete(path('jobs', namespace, 'j'), { propagationPolicy: 'Background' })),
        missing: whole(await admin.delete(path('jobs', namespace, 'j'))),
        missingDeployment: whole(await admin.delete(path('deployments', namespace, 'd'))),
        missingConfigMap: whole(await admin.delete(path('configmaps', namespace, 'c'))),
      };
    },
  },
  {
    id: 'delete-job-guarded',
    title: 'a stuck Job goes with its pods, by uid',
    run: async ({ admin, operator, namespace }) => {
      const made = await admin.post(path('jobs', namespace), job('j', { podSpec: { schedulerName: 'nobody' } }));
      const where = path('jobs', namespace, 'j');
      const uid = textAt(made.body, 'metadata', 'uid');
      const pods = async () => {
        const { body } = await admin.get(path('pods', namespace));
        return (at(body, 'items') as unknown[]).length;
      };
      await until(pods, (count) => count === 1);
      const propagationPolicy = 'Background';
      const other = await operator.delete(where, { preconditions: { uid: OTHER_UID }, propagationPolicy });
      const dry = await operator.delete(where, { preconditions: { uid }, propagationPolicy, dryRun: ['All'] });
      const done = await operator.delete(where, { preconditions: { uid }, propagationPolicy });
      return {
        other: whole(other),
        dry: dry.status,
        done: done.status,
        left: await until(pods, (count) => count === 0),
        gone: (await admin.get(where)).status,
      };
    },
  },
  {
    id: 'delete-propagation',
    title: 'an unknown way to treat dependents',
    run: async ({ admin, namespace }) => {
      await admin.post(path('configmaps', namespace), configMap('c'));
      return whole(await admin.delete(path('configmaps', namespace, 'c'), { propagationPolicy: 'Sideways' }));
    },
  },
  {
    id: 'delete-finalizers',
    title: 'what is held by a finalizer stays, marked, until that is taken off',
    run: async ({ admin, namespace }) => {
      const held = configMap('c');
      await admin.post(path('configmaps', namespace), {
        ...held,
        metadata: { name: 'c', finalizers: ['example.com/hold'] },
      });
      const where = path('configmaps', namespace, 'c');
      const first = await admin.delete(where);
      const second = await admin.delete(where);
      const released = await admin.patch(where, [{ op: 'remove', path: '/metadata/finalizers' }]);
      return [whole(first), whole(second), released.status, (await admin.get(where)).status];
    },
  },
  {
    id: 'delete-foreground',
    title: 'dependents first: the owner waits, marked',
    run: async ({ admin, namespace }) => {
      const owner = await admin.post(path('configmaps', namespace), configMap('owner'));
      const uid = textAt(owner.body, 'metadata', 'uid');
      const dependent = configMap('dependent');
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true };
      await admin.post(path('configmaps', namespace), {
        ...dependent,
        metadata: { name: 'dependent', ownerReferences: [reference] },
      });
      const answer = await admin.delete(path('configmaps', namespace, 'owner'), { propagationPolicy: 'Foreground' });
      const status = async (name: string) => (await admin.get(path('configmaps', namespace, name))).status;
      return {
        status: answer.status,
        owner: await until(
          () => status('owner'),
          (code) => code === 404,
        ),
        dependent: await until(
          () => status('dependent'),
          (code) => code === 404,
        ),
      };
    },
  },
  {
    id: 'delete-orphan',
    title: 'dependents are left, without their owner',
    run: async ({ admin, namespace }) => {
      const owner = await admin.post(path('configmaps', namespace), configMap('owner'));
      const uid = textAt(owner.body, 'metadata', 'uid');
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid };
      await admin.post(path('configmaps', namespace), {
        ...configMap('dependent'),
        metadata: { name: 'dependent', ownerReferences: [reference] },
      });
      const answer = await admin.delete(path('configmaps', namespace, 'owner'), { propagationPolicy: 'Orphan' });
      const gone = await until(
        async () => (await admin.get(path('configmaps', namespace, 'owner'))).status,
        (status) => status === 404,
      );
      const left = await until(
        () => admin.get(path('configmaps', namespace, 'dependent')),
        ({ body }) => at(body, 'metadata', 'ownerReferences') === undefined,
      );
      return [answer.status, gone, whole(left)];
    },
  },
  {
    id: 'delete-namespace',
    title: 'a namespace takes its content along and lets nothing new in meanwhile',
    run: async ({ admin, namespace }) => {
      const name = `${namespace}-more`;
      await admin.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      await admin.post(path('configmaps', name), configMap('c'));
      const answer = await admin.delete(`/api/v1/namespaces/${name}`);
      const gone = await until(
        () => admin.get(`/api/v1/namespaces/${name}`),
        ({ status }) => status === 404,
      );
      return [
        answer.status,
        textAt(answer.body, 'kind') ?? '',
        whole(gone),
        (await admin.get(path('configmaps', name, 'c'))).status,
      ];
    },
  },
  {
    id: 'evict',
    title: 'an eviction as far as the disruption budget allows',
    run: async (stage) => {
      const { admin, namespace } = stage;
      await admin.post(path('deployments', namespace), deployment('web', { replicas: 2 }));
      await admin.post(path('poddisruptionbudgets', namespace), budget('web', { minAvailable: 2 }));
      const listed = await until(
        () => admin.get(path('pods', namespace)),
        ({ body }) => {
          const items = at(body, 'items') as unknown[];
          return items.length === 2 && items.every(isReady);
        },
      );
      const name = textAt(listed.body, 'items', 0, 'metadata', 'name') ?? '';
      const status = () => admin.get(path('poddisruptionbudgets', namespace, 'web'));
      await until(status, ({ body }) => at(body, 'status', 'currentHealthy') === 2);
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
      const refused = await admin.post(path('pods', namespace, name, 'eviction'), eviction);
      await admin.patch(path('poddisruptionbudgets', namespace, 'web'), [
        { op: 'replace', path: '/spec/minAvailable', value: 1 },
      ]);
      const loosened = await until(status, ({ body }) => at(body, 'status', 'disruptionsAllowed') === 1);
      const dry = await admin.post(`${path('pods', namespace, name, 'eviction')}?dryRun=All`, eviction);
      const done = await admin.post(path('pods', namespace, name, 'eviction'), eviction);
      const leaving = await admin.get(path('pods', namespace, name));
      // Not under the budget, which a refused eviction would use up for a while.
      await admin.post(path('pods', namespace), parkedPod('free'));
      const other = await admin.post(path('pods', namespace, 'free', 'eviction'), {
        ...eviction,
        metadata: { name: 'free', namespace },
        deleteOptions: { preconditions: { uid: OTHER_UID } },
      });
      return {
        refused: whole(refused),
        loosened: whole(loosened),
        dry: whole(dry),
        other: whole(other),
        done: whole(done),
        leaving: leaving.status === 404 || at(leaving.body, 'metadata', 'deletionTimestamp') !== undefined,
        missing: whole(
          await admin.post(path('pods', namespace, 'nobody', 'eviction'), {
            ...eviction,
            metadata: { name: 'nobody', namespace },
          }),
        ),
      };
    },
  },
  {
    id: 'bind',
    title: 'a pod is put on a node by a binding, once',
    run: async ({ admin, namespace }) => {
      await admin.post(path('pods', namespace), parkedPod('web'));
      const binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'web', namespace },
        target: { apiVersion: 'v1', kind: 'Node', name: 'node-none' },
      };
      return [
        whole(await admin.post(path('pods', namespace, 'web', 'binding'), binding)),
        whole(await admin.get(path('pods', namespace, 'web'))),
        whole(await admin.post(path('pods', namespace, 'web', 'binding'), binding)),
        whole(
          await admin.post(path('pods', namespace, 'nobody', 'binding'), {
            ...binding,
            metadata: { name: 'nobody', namespace },
          }),
        ),
      ];
    },
  },
];
