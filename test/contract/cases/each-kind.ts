import { at, textAt } from '../../../operator/src/demo/cluster/json-at.ts';
import { type Answer, MERGE_PATCH } from '../api.ts';
import { type ContractCase, type Stage, until, whole } from '../case.ts';
import {
  budget,
  configMap,
  coreEvent,
  idleDeployment,
  type Json,
  job,
  lease,
  newerEvent,
  newerEvents,
  parkedPod,
  path,
  service,
} from '../objects.ts';

function statefulSet(name: string): Json {
  return { ...idleDeployment(name, { spec: { serviceName: name } }), kind: 'StatefulSet' };
}

/** On no node, so that none of its pods is made. */
function daemonSet(name: string): Json {
  const { replicas: _, ...spec } = idleDeployment(name, { podSpec: { nodeSelector: { nobody: 'here' } } }).spec as Json;
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name }, spec };
}

const IMAGE = '/spec/template/spec/containers/0/image';

/** No controller of these runs on the simulated cluster, and how far the real ones have come is a matter of timing. */
function withoutStatus(answer: Answer): unknown {
  const { status: _, metadata, ...rest } = answer.body as Json;
  if (rest.kind === 'Status') return whole(answer);
  return whole({ ...answer, body: { metadata: metadata as Json, ...rest } });
}

async function uidOf({ admin }: Stage, where: string): Promise<string> {
  return textAt((await admin.get(where)).body, 'metadata', 'uid') ?? '';
}

export const EACH_KIND: readonly ContractCase[] = [
  {
    id: 'act-on-stateful-sets',
    title: 'a StatefulSet is patched and scaled as a Deployment is',
    run: async (stage) => {
      const { admin, operator, namespace } = stage;
      const made = await admin.post(path('statefulsets', namespace), statefulSet('db'));
      const where = path('statefulsets', namespace, 'db');
      const uid = await uidOf(stage, where);
      const image = { op: 'replace', path: IMAGE, value: 'x:2' };
      const replicas = (value: number) => ({ op: 'replace', path: '/spec/replicas', value });
      const stale = { op: 'replace', path: '/metadata/resourceVersion', value: '1' };
      const scale = async (...operations: object[]) => {
        const { body, ...rest } = await operator.patch(`${where}/scale`, operations);
        const { status, ...scaled } = body as Json;
        return whole({ ...rest, body: scaled.kind === 'Scale' ? scaled : body });
      };
      return {
        made: withoutStatus(made),
        dry: withoutStatus(await operator.patch(`${where}?dryRun=All`, [image])),
        guarded: withoutStatus(await operator.patch(where, [{ op: 'test', path: '/metadata/uid', value: uid }, image])),
        refused: whole(await operator.patch(where, [{ op: 'test', path: '/metadata/uid', value: 'x' }, image])),
        stale: whole(await operator.patch(where, [stale, image])),
        scaled: await scale({ op: 'test', path: '/spec/replicas', value: 0 }, replicas(0)),
        scaleRefused: await scale({ op: 'test', path: '/spec/replicas', value: 7 }, replicas(0)),
        scaleStale: await scale(stale, replicas(0)),
        get: withoutStatus(await operator.get(where)),
        deleted: whole(await admin.delete(where)),
      };
    },
  },
  {
    id: 'act-on-daemon-sets',
    title: 'a DaemonSet is patched as a Deployment is',
    run: async (stage) => {
      const { admin, operator, namespace } = stage;
      const made = await admin.post(path('daemonsets', namespace), daemonSet('agent'));
      const where = path('daemonsets', namespace, 'agent');
      const image = { op: 'replace', path: IMAGE, value: 'x:2' };
      return {
        made: withoutStatus(made),
        done: withoutStatus(await operator.patch(where, [image])),
        refused: whole(await operator.patch(where, [{ op: 'test', path: '/metadata/uid', value: 'x' }, image])),
        stale: whole(
          await operator.patch(where, [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }, image]),
        ),
        get: withoutStatus(await operator.get(where)),
        deleted: whole(await admin.delete(where)),
      };
    },
  },
  {
    id: 'get-each-kind',
    title: 'objects of each kind, read by name as they were made',
    run: async ({ admin, namespace }) => {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { key: 'YQ==' } };
      const made: readonly (readonly [string, Json])[] = [
        ['secrets', secret],
        ['services', service('web')],
        ['leases', lease('l')],
        ['jobs', job('j', { spec: { suspend: true } })],
        ['poddisruptionbudgets', budget('b', { maxUnavailable: 1 })],
        ['events', coreEvent('e', namespace)],
      ];
      const seen: Record<string, unknown> = {};
      for (const [resource, body] of made) {
        await admin.post(path(resource, namespace), body);
        const answer = await admin.get(path(resource, namespace, textAt(body, 'metadata', 'name') ?? ''));
        seen[resource] = withoutStatus(answer);
      }
      seen.account = whole(await admin.get(path('serviceaccounts', namespace, 'default')));
      seen.role = whole(await admin.get(path('roles', namespace, 'hephaisto-act')));
      seen.clusterRole = whole(await admin.get(path('clusterroles', '', 'hephaisto-read')));
      seen.clusterBinding = whole(await admin.get(path('clusterrolebindings', '', 'hephaisto-read')));
      seen.missingRole = whole(await admin.get(path('roles', namespace, 'nobody')));
      seen.missingSecret = whole(await admin.get(path('secrets', namespace, 'nobody')));
      seen.missingLease = whole(await admin.get(path('leases', namespace, 'nobody')));
      seen.missingNewerEvent = whole(await admin.get(newerEvents(namespace, 'nobody')));
      return seen;
    },
  },
  {
    id: 'replica-set-of-a-deployment',
    title: 'the ReplicaSet and the slice that controllers made, read by name',
    run: async ({ admin, operator, namespace }) => {
      await admin.post(path('services', namespace), service('web'));
      await admin.post(path('deployments', namespace), idleDeployment('web'));
      const listed = await until(
        () => operator.get(path('replicasets', namespace)),
        ({ body }) => at(body, 'items', 0, 'status', 'observedGeneration') === 1,
      );
      const slices = await until(
        () => operator.get(path('endpointslices', namespace)),
        ({ body }) => at(body, 'items', 0) !== undefined,
      );
      const name = (answer: Answer) => textAt(answer.body, 'items', 0, 'metadata', 'name') ?? '';
      const slice = await operator.get(path('endpointslices', namespace, name(slices)));
      const { metadata, ...rest } = slice.body as { metadata: Json };
      // Made at which change, is told by an annotation that comes and goes.
      const { annotations: _, ...plain } = metadata;
      return {
        replicaSet: whole(await operator.get(path('replicasets', namespace, name(listed)))),
        patched: (await admin.patch(path('replicasets', namespace, name(listed)), [])).status,
        scale: whole(await admin.get(path('replicasets', namespace, name(listed), 'scale'))),
        slice: whole({ ...slice, body: { ...rest, metadata: plain } }),
      };
    },
  },
  {
    id: 'node-status',
    title: 'a kubelet posts the state of its node',
    run: async ({ admin, namespace }) => {
      const name = `node-${namespace}`;
      const made = await admin.post(path('nodes'), { apiVersion: 'v1', kind: 'Node', metadata: { name } });
      const where = path('nodes', '', name, 'status');
      const fresh = (await admin.get(path('nodes', '', name))).body as Json;
      const status = { ...(fresh.status as Json), capacity: { cpu: '4', memory: '8Gi', pods: '10' } };
      const put = await admin.put(where, { ...fresh, metadata: { name }, status });
      const stale = await admin.put(where, {
        ...(made.body as Json),
        metadata: { name, resourceVersion: '1' },
        status,
      });
      const patched = await admin.patch(where, [{ op: 'replace', path: '/status/capacity/cpu', value: '8' }]);
      const missing = await admin.put(path('nodes', '', 'nobody', 'status'), {
        ...fresh,
        metadata: { name: 'nobody' },
      });
      await admin.delete(path('nodes', '', name));
      const capacity = (answer: Answer) => [answer.status, at(answer.body, 'status', 'capacity')];
      return { put: capacity(put), stale: whole(stale), patched: capacity(patched), missing: whole(missing) };
    },
  },
  {
    id: 'statuses',
    title: 'the status of workloads is a part of its own',
    run: async ({ admin, namespace }) => {
      await admin.post(path('jobs', namespace), job('j', { spec: { suspend: true } }));
      await admin.post(path('deployments', namespace), idleDeployment('d'));
      const read = async (resource: string, name: string) => {
        const answer = await admin.get(path(resource, namespace, name, 'status'));
        return [answer.status, at(answer.body, 'kind'), at(answer.body, 'metadata', 'name')];
      };
      return [
        await read('jobs', 'j'),
        await read('deployments', 'd'),
        whole(await admin.get(path('jobs', namespace, 'nobody', 'status'))),
        whole(await admin.get(path('deployments', namespace, 'nobody', 'status'))),
      ];
    },
  },
  {
    id: 'delete-more-kinds',
    title: 'what else is removed when a stage is cleared',
    run: async ({ admin, namespace }) => {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
      await admin.post(path('secrets', namespace), secret);
      await admin.post(path('services', namespace), service('web'));
      await admin.post(path('leases', namespace), lease('l'));
      await admin.post(path('poddisruptionbudgets', namespace), budget('b', { maxUnavailable: 1 }));
      await admin.post(path('events', namespace), coreEvent('e', namespace));
      await admin.post(newerEvents(namespace), newerEvent('n', namespace));
      const remove = async (where: string) => whole(await admin.delete(where));
      const seen: Record<string, unknown> = {};
      for (const [resource, name] of [
        ['secrets', 's'],
        ['services', 'web'],
        ['leases', 'l'],
        ['poddisruptionbudgets', 'b'],
        ['events', 'e'],
      ] as const) {
        const answer = await remove(path(resource, namespace, name));
        seen[resource] = (answer as { body: { kind?: string } }).body.kind === 'Status' ? answer : 'the object';
      }
      seen.newerEvent = await remove(newerEvents(namespace, 'n'));
      seen.missing = [await remove(path('nodes', '', 'nobody')), await remove('/api/v1/namespaces/nobody')];
      seen.missingService = await remove(path('services', namespace, 'nobody'));
      return seen;
    },
  },
  {
    id: 'create-in-nowhere-each-kind',
    title: 'no kind can be made in a namespace that does not exist',
    run: async ({ admin }) => {
      const seen: Record<string, unknown> = {};
      for (const [resource, body] of [
        ['deployments', idleDeployment('web')],
        ['configmaps', configMap('c')],
        ['leases', lease('l')],
        ['events', coreEvent('e', 'nowhere')],
        ['secrets', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }],
        ['jobs', job('j')],
      ] as const)
        seen[resource] = whole(await admin.post(path(resource, 'nowhere'), body));
      seen.newerEvents = whole(await admin.post(newerEvents('nowhere'), newerEvent('e', 'nowhere')));
      return seen;
    },
  },
  {
    id: 'pod-status-conflicts',
    title: 'a kubelet that writes an old status, or of a pod that is no more',
    run: async ({ admin, namespace }) => {
      const made = await admin.post(path('pods', namespace), parkedPod('web'));
      const where = path('pods', namespace, 'web', 'status');
      await admin.patch(path('pods', namespace, 'web'), [{ op: 'add', path: '/metadata/labels/a', value: 'b' }]);
      const object = made.body as { metadata: Json };
      const stale = await admin.put(where, { ...object, status: { phase: 'Running' } });
      const otherUid = { ...object.metadata, resourceVersion: '', uid: 'b3e4c5f6-0000-4000-8000-000000000001' };
      const other = await admin.put(where, { ...object, metadata: otherUid, status: { phase: 'Running' } });
      return [whole(stale), whole(other)];
    },
  },
  {
    id: 'merge-patch-of-scale',
    title: 'kubectl scales by merge patch, with a revision as its guard',
    run: async ({ admin, namespace }) => {
      await admin.post(path('deployments', namespace), idleDeployment('web'));
      const scale = path('deployments', namespace, 'web', 'scale');
      const stale = { metadata: { resourceVersion: '1' }, spec: { replicas: 0 } };
      return [
        whole(await admin.patch(scale, stale, { type: MERGE_PATCH })),
        (await admin.patch(scale, { spec: { replicas: 0 } }, { type: MERGE_PATCH })).status,
      ];
    },
  },
];
