import { at, textAt } from '../../../operator/src/demo/cluster/json-at.ts';
import type { Answer } from '../api.ts';
import { type ContractCase, type Stage, until, whole } from '../case.ts';
import { configMap, coreEvent, idleDeployment, job, lease, parkedPod, path } from '../objects.ts';

async function web({ admin, namespace }: Stage) {
  const made = await admin.post(path('deployments', namespace), idleDeployment('web', { annotations: { note: 'x' } }));
  return {
    at: path('deployments', namespace, 'web'),
    uid: textAt(made.body, 'metadata', 'uid') ?? '',
    revision: textAt(made.body, 'metadata', 'resourceVersion') ?? '',
  };
}

/** The newest revision, since controllers write too. */
async function fresh({ admin }: Stage, where: string): Promise<string> {
  return textAt((await admin.get(where)).body, 'metadata', 'resourceVersion') ?? '';
}

/** Waits until the controllers have written what they write about an idle Deployment. */
async function observed({ admin }: Stage, where: string): Promise<void> {
  await until(
    () => admin.get(where),
    ({ body }) =>
      at(body, 'status', 'observedGeneration') === 1 && JSON.stringify(body).includes('NewReplicaSetAvailable'),
    5_000,
  );
}

function generationOf({ status, body }: Answer): unknown {
  return [status, at(body, 'metadata', 'generation')];
}

const IMAGE = '/spec/template/spec/containers/0/image';
const image = (value: string) => ({ op: 'replace', path: IMAGE, value });

export const PATCHING: readonly ContractCase[] = [
  {
    id: 'patch-guarded',
    title: 'a patch guarded by uid, revision and old value is done, and raises the generation',
    run: async (stage) => {
      const { at: where, uid } = await web(stage);
      await observed(stage, where);
      const answer = await stage.operator.patch(where, [
        { op: 'test', path: '/metadata/uid', value: uid },
        { op: 'test', path: '/metadata/resourceVersion', value: await fresh(stage, where) },
        { op: 'test', path: IMAGE, value: 'registry.example/app:1.0' },
        image('registry.example/app:2.0'),
      ]);
      const { status: _, ...settled } = answer.body as Record<string, unknown>;
      return whole({ ...answer, body: settled });
    },
  },
  {
    id: 'patch-guard-fails',
    title: 'each guard that does not hold refuses the whole patch',
    run: async (stage) => {
      const { at: where } = await web(stage);
      const guarded = async (pointer: string, value: unknown) =>
        whole(await stage.operator.patch(where, [{ op: 'test', path: pointer, value }, image('x:9')]));
      return {
        uid: await guarded('/metadata/uid', 'b3e4c5f6-0000-4000-8000-000000000001'),
        revision: await guarded('/metadata/resourceVersion', '1'),
        value: await guarded(IMAGE, 'other:1'),
        missing: await guarded('/metadata/labels/none', 'x'),
        missingNull: (await stage.operator.patch(where, [{ op: 'test', path: '/spec/none', value: null }])).status,
        after: at((await stage.admin.get(where)).body, 'spec', 'template', 'spec', 'containers', 0, 'image'),
      };
    },
  },
  {
    id: 'patch-stale-revision',
    title: 'an old revision put into the object is a conflict',
    run: async (stage) => {
      const { at: where } = await web(stage);
      return whole(
        await stage.operator.patch(where, [
          { op: 'replace', path: '/metadata/resourceVersion', value: '1' },
          image('x:9'),
        ]),
      );
    },
  },
  {
    id: 'patch-dry',
    title: 'a dry run shows what would be and changes nothing',
    run: async (stage) => {
      const { at: where } = await web(stage);
      const answer = await stage.operator.patch(`${where}?dryRun=All`, [image('x:9')]);
      const now = await stage.admin.get(where);
      return {
        status: answer.status,
        generation: at(answer.body, 'metadata', 'generation'),
        spec: (whole(answer) as { body: { spec: unknown } }).body.spec,
        now: at(now.body, 'spec', 'template', 'spec', 'containers', 0, 'image'),
        unknown: whole(await stage.operator.patch(`${where}?dryRun=Some`, [image('x:9')])),
      };
    },
  },
  {
    id: 'patch-nothing',
    title: 'a patch that changes nothing leaves the revision as it is',
    run: async (stage) => {
      const { admin, namespace } = stage;
      const made = await admin.post(path('configmaps', namespace), configMap('c'));
      const same = await admin.patch(path('configmaps', namespace, 'c'), [
        { op: 'replace', path: '/data/mode', value: 'observe' },
      ]);
      const empty = await admin.patch(path('configmaps', namespace, 'c'), []);
      const revision = (body: unknown) => textAt(body, 'metadata', 'resourceVersion');
      return [
        same.status,
        empty.status,
        revision(same.body) === revision(made.body),
        revision(empty.body) === revision(made.body),
      ];
    },
  },
  {
    id: 'patch-operations',
    title: 'add, remove, replace, move, copy and pointers with escapes',
    run: async ({ admin, namespace }) => {
      const where = path('configmaps', namespace, 'c');
      await admin.post(path('configmaps', namespace), configMap('c', { a: '1', b: '2' }));
      const patch = async (...operations: object[]) => whole(await admin.patch(where, operations));
      return {
        add: await patch({ op: 'add', path: '/data/c', value: '3' }),
        replaceMissing: await patch({ op: 'replace', path: '/data/none', value: '3' }),
        removeMissing: await patch({ op: 'remove', path: '/data/none' }),
        addDeep: await patch({ op: 'add', path: '/metadata/annotations/x', value: 'y' }),
        addMap: await patch({ op: 'add', path: '/metadata/annotations', value: { 'a.example/b': 'y' } }),
        escaped: await patch({ op: 'replace', path: '/metadata/annotations/a.example~1b', value: 'z' }),
        move: await patch({ op: 'move', from: '/data/a', path: '/data/moved' }),
        copy: await patch({ op: 'copy', from: '/data/b', path: '/data/copied' }),
        remove: await patch({ op: 'remove', path: '/data/b' }),
        halfDone: await patch({ op: 'add', path: '/data/half', value: '1' }, { op: 'remove', path: '/data/none' }),
        after: whole(await admin.get(where)),
      };
    },
  },
  {
    id: 'patch-lists',
    title: 'elements of lists by index and at the end',
    run: async ({ admin, namespace }) => {
      await admin.post(path('deployments', namespace), idleDeployment('web'));
      const where = path('deployments', namespace, 'web');
      const env = '/spec/template/spec/containers/0/env';
      const patch = async (...operations: object[]) => {
        const answer = await admin.patch(where, operations);
        return answer.status === 200
          ? (at(answer.body, 'spec', 'template', 'spec', 'containers', 0, 'env') ?? 'none')
          : whole(answer);
      };
      return [
        await patch({ op: 'add', path: env, value: [{ name: 'A', value: '1' }] }),
        await patch({ op: 'add', path: `${env}/-`, value: { name: 'B', value: '2' } }),
        await patch({ op: 'add', path: `${env}/0`, value: { name: 'C', value: '3' } }),
        await patch({ op: 'remove', path: `${env}/1` }),
        await patch({ op: 'replace', path: `${env}/7`, value: {} }),
        await patch({ op: 'remove', path: env }),
      ];
    },
  },
  {
    id: 'patch-malformed',
    title: 'bodies that are no JSON Patch',
    run: async (stage) => {
      const { at: where } = await web(stage);
      const patch = async (body: unknown) => whole(await stage.admin.patch(where, body));
      return {
        object: await patch({ spec: {} }),
        operation: await patch([{ op: 'increase', path: '/spec/replicas', value: 1 }]),
        noPath: await patch([{ op: 'add', value: 1 }]),
        type: (await stage.admin.patch(where, 'x', { type: 'text/plain' })).status,
      };
    },
  },
  {
    id: 'patch-invalid-result',
    title: 'results that may not be stored',
    run: async (stage) => {
      const { at: where } = await web(stage);
      const patch = async (...operations: object[]) =>
        withoutObjects(whole(await stage.admin.patch(where, operations)));
      const selector = { matchLabels: { 'app.kubernetes.io/name': 'web', more: 'x' } };
      return {
        negative: await patch({ op: 'replace', path: '/spec/replicas', value: -1 }),
        selector: await patch(
          { op: 'replace', path: '/spec/selector', value: selector },
          { op: 'add', path: '/spec/template/metadata/labels/more', value: 'x' },
        ),
        name: await patch({ op: 'replace', path: '/metadata/name', value: 'other' }),
        namespace: await patch({ op: 'replace', path: '/metadata/namespace', value: 'other' }),
        uid: await patch({ op: 'replace', path: '/metadata/uid', value: 'b3e4c5f6-0000-4000-8000-000000000001' }),
        noImage: await patch({ op: 'remove', path: IMAGE }),
        wrongType: await patch({ op: 'replace', path: '/spec/replicas', value: 'many' }),
        quantity: await patch({
          op: 'add',
          path: '/spec/template/spec/containers/0/resources',
          value: { limits: { memory: 'lots' } },
        }),
        overLimit: await patch({
          op: 'add',
          path: '/spec/template/spec/containers/0/resources',
          value: { limits: { memory: '1Mi' }, requests: { memory: '2Mi' } },
        }),
      };
    },
  },
  {
    id: 'patch-missing',
    title: 'what does not exist cannot be patched',
    run: async ({ operator, admin, namespace }) => [
      whole(await operator.patch(path('deployments', namespace, 'nobody'), [image('x:1')])),
      whole(await operator.patch(path('deployments', namespace, 'nobody', 'scale'), [])),
      whole(await operator.patch(path('statefulsets', namespace, 'nobody'), [])),
      whole(await operator.patch(path('statefulsets', namespace, 'nobody', 'scale'), [])),
      whole(await operator.patch(path('daemonsets', namespace, 'nobody'), [])),
      whole(await admin.patch(path('leases', namespace, 'nobody'), [])),
      whole(await admin.patch(path('events', namespace, 'nobody'), [])),
      whole(await admin.patch(path('nodes', '', 'nobody'), [])),
      whole(await admin.patch(path('pods', namespace, 'nobody'), [])),
    ],
  },
  {
    id: 'patch-metadata-keeps-generation',
    title: 'labels never move the generation, annotations only that of a Deployment',
    run: async (stage) => {
      const { at: where } = await web(stage);
      const { admin, namespace } = stage;
      await observed(stage, where);
      await admin.post(path('jobs', namespace), job('web', { spec: { suspend: true } }));
      const generation = async (at: string, pointer: string) =>
        generationOf(await admin.patch(at, [{ op: 'add', path: pointer, value: 'b' }]));
      return {
        deploymentLabel: await generation(where, '/metadata/labels/a'),
        deploymentAnnotation: await generation(where, '/metadata/annotations/a'),
        jobLabel: await generation(path('jobs', namespace, 'web'), '/metadata/labels/a'),
      };
    },
  },
  {
    id: 'patch-pod-spec',
    title: 'of a running pod only the image may be changed',
    run: async ({ admin, namespace }) => {
      await admin.post(path('pods', namespace), parkedPod('web'));
      const where = path('pods', namespace, 'web');
      const patch = async (...operations: object[]) => {
        const answer = whole(await admin.patch(where, operations)) as { status: number; body: Record<string, unknown> };
        const message = String(answer.body.message ?? '').split('\n')[0];
        return answer.status === 200 ? answer : { ...answer, body: { ...answer.body, message, details: undefined } };
      };
      return {
        image: await patch({ op: 'replace', path: '/spec/containers/0/image', value: 'x:2' }),
        label: await patch({ op: 'add', path: '/metadata/labels/a', value: 'b' }),
        env: await patch({ op: 'add', path: '/spec/containers/0/env', value: [{ name: 'A', value: 'b' }] }),
      };
    },
  },
  {
    id: 'patch-job',
    title: 'a Job can be suspended and its template not be changed',
    run: async ({ admin, namespace }) => {
      await admin.post(path('jobs', namespace), job('web', { spec: { suspend: true } }));
      const where = path('jobs', namespace, 'web');
      const template = await admin.patch(where, [
        { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'x:2' },
      ]);
      const parallel = await admin.patch(where, [{ op: 'replace', path: '/spec/parallelism', value: 2 }]);
      const text = textAt(template.body, 'message') ?? '';
      return [
        template.status,
        text.replace(/Invalid value: .*: field/, 'Invalid value: #template: field'),
        parallel.status,
      ];
    },
  },
  {
    id: 'patch-event',
    title: 'an event that comes again is counted up',
    run: async ({ admin, namespace }) => {
      await admin.post(path('events', namespace), coreEvent('one', namespace));
      return whole(
        await admin.patch(path('events', namespace, 'one'), [
          { op: 'replace', path: '/count', value: 2 },
          { op: 'replace', path: '/lastTimestamp', value: '2026-01-01T00:00:09Z' },
          { op: 'replace', path: '/message', value: 'again' },
        ]),
      );
    },
  },
  {
    id: 'patch-lease',
    title: 'a lease is renewed by patch and by PUT',
    run: async ({ admin, namespace }) => {
      const made = await admin.post(path('leases', namespace), lease('one'));
      const spec = { holderIdentity: 'two', leaseDurationSeconds: 30, renewTime: '2026-01-01T00:00:09.000000Z' };
      const patched = await admin.patch(path('leases', namespace, 'one'), [{ op: 'add', path: '/spec', value: spec }]);
      return [
        whole(patched),
        whole(await admin.put(path('leases', namespace, 'one'), made.body)),
        whole(await admin.put(path('leases', namespace, 'one'), patched.body)),
        whole(await admin.put(path('leases', namespace, 'nobody'), lease('nobody'))),
      ];
    },
  },
  {
    id: 'patch-node',
    title: 'a node is closed for new pods and opened again',
    run: async ({ admin, namespace }) => {
      const name = `node-${namespace}`;
      await admin.post(path('nodes'), { apiVersion: 'v1', kind: 'Node', metadata: { name } });
      const patch = async (value: boolean) => {
        const answer = await admin.patch(path('nodes', '', name), [{ op: 'add', path: '/spec/unschedulable', value }]);
        return [answer.status, at(answer.body, 'spec', 'unschedulable') ?? 'absent'];
      };
      const seen = [await patch(true), await patch(false)];
      await admin.delete(path('nodes', '', name));
      return seen;
    },
  },
];

/** A refusal may quote the whole object, whose fields have no order. */
function withoutObjects(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer).replace(/Invalid value: \\"\{.*?\}\\"(?=: )/g, 'Invalid value: #object'));
}
