import { at } from '../../../operator/src/demo/cluster/json-at.ts';
import { type Answer, MERGE_PATCH } from '../api.ts';
import { type ContractCase, whole } from '../case.ts';
import { configMap, idleDeployment, parkedPod, path } from '../objects.ts';

export const REPLACING: readonly ContractCase[] = [
  {
    id: 'put-config-map',
    title: 'PUT of a ConfigMap, with and without a revision',
    run: async ({ admin, namespace }) => {
      const made = await admin.post(path('configmaps', namespace), configMap('c'));
      const where = path('configmaps', namespace, 'c');
      const next = { ...(made.body as object), data: { mode: 'approve' } };
      return [
        whole(await admin.put(where, next)),
        whole(await admin.put(where, next)),
        whole(await admin.put(where, configMap('c', { mode: 'auto' }))),
        whole(await admin.put(where, configMap('d'))),
        whole(
          await admin.put(path('configmaps', namespace, 'nobody'), {
            ...next,
            metadata: { name: 'nobody', uid: 'b3e4c5f6-0000-4000-8000-000000000001' },
          }),
        ),
      ];
    },
  },
  {
    id: 'put-status',
    title: 'PUT of a status changes the status and nothing else',
    run: async ({ admin, namespace }) => {
      const made = await admin.post(path('pods', namespace), parkedPod('web'));
      const where = path('pods', namespace, 'web', 'status');
      const object = made.body as { spec: object; status: object };
      const running = {
        ...object,
        spec: { ...object.spec, nodeName: 'node-z' },
        status: { ...object.status, phase: 'Running', message: 'hello' },
      };
      return [
        whole(await admin.put(where, running)),
        whole(await admin.put(where, running)),
        whole(await admin.get(where)),
        whole(await admin.put(path('pods', namespace, 'nobody', 'status'), parkedPod('nobody'))),
      ];
    },
  },
  {
    id: 'patch-status',
    title: 'JSON Patch of a status',
    run: async ({ admin, namespace }) => {
      await admin.post(path('pods', namespace), parkedPod('web'));
      return [
        whole(
          await admin.patch(path('pods', namespace, 'web', 'status'), [
            { op: 'replace', path: '/status/phase', value: 'Failed' },
            { op: 'add', path: '/status/reason', value: 'Evicted' },
          ]),
        ),
        whole(await admin.patch(path('pods', namespace, 'nobody', 'status'), [])),
      ];
    },
  },
  {
    id: 'scale',
    title: 'the scale of a workload, read, patched and put',
    run: async (stage) => {
      const { admin, operator, namespace } = stage;
      const where = path('deployments', namespace, 'web');
      await admin.post(path('deployments', namespace), idleDeployment('web', { annotations: { note: 'x' } }));
      const scale = `${where}/scale`;
      const paused = await admin.patch(where, [{ op: 'add', path: '/spec/paused', value: true }]);
      const before = await admin.get(scale);
      // How many pods there are by now is a matter of timing.
      const settled = (answer: Answer) => {
        const { status, ...rest } = answer.body as Record<string, unknown>;
        return whole({ ...answer, body: rest.kind === 'Scale' ? rest : answer.body });
      };
      const asked = async (body: unknown, type?: string) =>
        settled(await operator.patch(scale, body, type === undefined ? {} : { type }));
      return {
        paused: paused.status,
        get: whole(before),
        guarded: await asked([
          { op: 'test', path: '/spec/replicas', value: 0 },
          { op: 'replace', path: '/spec/replicas', value: 3 },
        ]),
        guardFails: await asked([
          { op: 'test', path: '/spec/replicas', value: 0 },
          { op: 'replace', path: '/spec/replicas', value: 4 },
        ]),
        uidFails: await asked([
          { op: 'test', path: '/metadata/uid', value: 'b3e4c5f6-0000-4000-8000-000000000001' },
          { op: 'replace', path: '/spec/replicas', value: 4 },
        ]),
        stale: await asked([
          { op: 'replace', path: '/metadata/resourceVersion', value: '1' },
          { op: 'replace', path: '/spec/replicas', value: 4 },
        ]),
        negative: await asked([{ op: 'replace', path: '/spec/replicas', value: -1 }]),
        merge: await asked({ spec: { replicas: 2 } }, MERGE_PATCH),
        dry: settled(
          await operator.patch(`${scale}?dryRun=All`, [{ op: 'replace', path: '/spec/replicas', value: 9 }]),
        ),
        stalePut: whole(await admin.put(scale, before.body)),
        put: settled(
          await admin.put(scale, {
            apiVersion: 'autoscaling/v1',
            kind: 'Scale',
            metadata: { name: 'web', namespace },
            spec: { replicas: 1 },
          }),
        ),
        after: at((await admin.get(where)).body, 'spec', 'replicas'),
        missing: whole(await admin.get(path('deployments', namespace, 'nobody', 'scale'))),
        missingPut: whole(
          await admin.put(path('deployments', namespace, 'nobody', 'scale'), {
            apiVersion: 'autoscaling/v1',
            kind: 'Scale',
            metadata: { name: 'nobody', namespace },
            spec: { replicas: 1 },
          }),
        ),
      };
    },
  },
];
