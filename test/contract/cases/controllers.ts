import { at, listAt, numberAt, textAt } from '../../../operator/src/demo/cluster/json-at.ts';
import type { Behaviour } from '../../../operator/src/demo/stories/behaviour.ts';
import { type ContractCase, pause, type Stage, until } from '../case.ts';
import { isReady, view } from '../namespace-view.ts';
import { budget, deployment, job, path, service, type WorkloadOptions } from '../objects.ts';

const when = { kind: 'always' } as const;
const never: Behaviour = { workload: 'web', when: { kind: 'image', matches: ':bad$' }, run: { readyAfter: 'never' } };

const IMAGE = '/spec/template/spec/containers/0/image';

async function start(stage: Stage, name: string, options: WorkloadOptions = {}): Promise<void> {
  await stage.admin.post(path('deployments', stage.namespace), deployment(name, options));
}

async function setImage({ admin, namespace }: Stage, name: string, image: string): Promise<void> {
  await admin.patch(path('deployments', namespace, name), [{ op: 'replace', path: IMAGE, value: image }]);
}

async function scale({ admin, namespace }: Stage, name: string, replicas: number): Promise<void> {
  await admin.patch(path('deployments', namespace, name, 'scale'), [
    { op: 'replace', path: '/spec/replicas', value: replicas },
  ]);
}

async function deploymentWhere(stage: Stage, name: string, wanted: (body: unknown) => boolean, withinMs = 40_000) {
  const found = await until(
    async () => (await stage.admin.get(path('deployments', stage.namespace, name))).body,
    wanted,
    withinMs,
  );
  return found;
}

function settled(body: unknown): boolean {
  const wanted = numberAt(body, 'spec', 'replicas') ?? 0;
  return (
    numberAt(body, 'status', 'observedGeneration') === numberAt(body, 'metadata', 'generation') &&
    (numberAt(body, 'status', 'updatedReplicas') ?? 0) === wanted &&
    (numberAt(body, 'status', 'replicas') ?? 0) === wanted &&
    (numberAt(body, 'status', 'availableReplicas') ?? 0) === wanted
  );
}

function conditionIs(body: unknown, type: string, reason: string): boolean {
  return listAt(body, 'status', 'conditions').some(
    (each) => textAt(each, 'type') === type && textAt(each, 'reason') === reason,
  );
}

/** Pods that leave are gone and controllers have written what they write last. */
async function atRest(stage: Stage): Promise<unknown> {
  await until(
    () => stage.admin.get(path('pods', stage.namespace)),
    ({ body }) => listAt(body, 'items').every((each) => at(each, 'metadata', 'deletionTimestamp') === undefined),
    10_000,
  );
  await pause(1200);
  return view(stage);
}

export const CONTROLLERS: readonly ContractCase[] = [
  {
    id: 'rollout',
    title: 'a rollout, a second one, and the way back to the first ReplicaSet',
    run: async (stage) => {
      await start(stage, 'web', { replicas: 3, annotations: { note: 'x' } });
      await deploymentWhere(stage, 'web', settled);
      const first = await atRest(stage);
      await setImage(stage, 'web', 'registry.example/app:2.0');
      await deploymentWhere(stage, 'web', settled);
      const second = await atRest(stage);
      await setImage(stage, 'web', 'registry.example/app:1.0');
      await deploymentWhere(stage, 'web', settled);
      return { first, second, back: await atRest(stage) };
    },
  },
  {
    id: 'rollout-stalls',
    title: 'a rollout that does not come forward is said to have failed, and scaling it keeps proportions',
    run: async (stage) => {
      stage.setBehaviours([never]);
      await start(stage, 'web', { replicas: 4, spec: { progressDeadlineSeconds: 6 } });
      await deploymentWhere(stage, 'web', settled);
      await setImage(stage, 'web', 'registry.example/app:bad');
      await deploymentWhere(stage, 'web', (body) => conditionIs(body, 'Progressing', 'ProgressDeadlineExceeded'));
      const stalled = await atRest(stage);
      await scale(stage, 'web', 8);
      await deploymentWhere(stage, 'web', (body) => (numberAt(body, 'status', 'replicas') ?? 0) >= 8);
      await pause(4000);
      const scaled = await atRest(stage);
      await setImage(stage, 'web', 'registry.example/app:1.0');
      await deploymentWhere(stage, 'web', settled);
      return { stalled, scaled, back: await atRest(stage) };
    },
  },
  {
    id: 'rollout-recreate',
    title: 'Recreate lets the old ones go first',
    run: async (stage) => {
      await start(stage, 'web', { replicas: 2, spec: { strategy: { type: 'Recreate' } } });
      await deploymentWhere(stage, 'web', settled);
      await setImage(stage, 'web', 'registry.example/app:2.0');
      await deploymentWhere(stage, 'web', settled);
      return atRest(stage);
    },
  },
  {
    id: 'rollout-paused',
    title: 'a paused Deployment takes no new template and still scales',
    run: async (stage) => {
      const pausing = (value: boolean) =>
        stage.admin.patch(path('deployments', stage.namespace, 'web'), [{ op: 'add', path: '/spec/paused', value }]);
      await start(stage, 'web', { replicas: 2 });
      await deploymentWhere(stage, 'web', settled);
      await pausing(true);
      await setImage(stage, 'web', 'registry.example/app:2.0');
      await scale(stage, 'web', 3);
      await deploymentWhere(stage, 'web', (body) => numberAt(body, 'status', 'readyReplicas') === 3);
      const paused = await atRest(stage);
      await pausing(false);
      await deploymentWhere(stage, 'web', settled);
      return { paused, resumed: await atRest(stage) };
    },
  },
  {
    id: 'rollout-history',
    title: 'old ReplicaSets beyond the limit are removed',
    run: async (stage) => {
      await start(stage, 'web', { replicas: 1, spec: { revisionHistoryLimit: 1 } });
      for (const version of ['2.0', '3.0', '4.0']) {
        await deploymentWhere(stage, 'web', settled);
        await setImage(stage, 'web', `registry.example/app:${version}`);
        await pause(400);
      }
      await deploymentWhere(stage, 'web', settled);
      return atRest(stage);
    },
  },
  {
    id: 'scale-up-and-down',
    title: 'up, to zero, and up again',
    run: async (stage) => {
      await start(stage, 'web', { replicas: 1 });
      await deploymentWhere(stage, 'web', settled);
      const seen: unknown[] = [];
      for (const replicas of [3, 0, 2]) {
        await scale(stage, 'web', replicas);
        await pause(300);
        await deploymentWhere(stage, 'web', settled);
        seen.push(await atRest(stage));
      }
      return seen;
    },
  },
  {
    id: 'restart',
    title: 'a restart by annotation is a rollout like any other',
    run: async (stage) => {
      await start(stage, 'web', { replicas: 2 });
      await deploymentWhere(stage, 'web', settled);
      await stage.operator.patch(path('deployments', stage.namespace, 'web'), [
        {
          op: 'add',
          path: '/spec/template/metadata/annotations',
          value: { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' },
        },
      ]);
      await pause(300);
      await deploymentWhere(stage, 'web', settled);
      return atRest(stage);
    },
  },
  {
    id: 'pod-replaced',
    title: 'a pod that is deleted is made anew',
    run: async (stage) => {
      await start(stage, 'web', { replicas: 2 });
      await deploymentWhere(stage, 'web', settled);
      const pods = await stage.admin.get(path('pods', stage.namespace));
      const name = textAt(pods.body, 'items', 0, 'metadata', 'name') ?? '';
      const uid = textAt(pods.body, 'items', 0, 'metadata', 'uid') ?? '';
      await stage.operator.delete(path('pods', stage.namespace, name), { preconditions: { uid } });
      await pause(500);
      await until(
        () => stage.admin.get(path('pods', stage.namespace)),
        ({ body }) => {
          const items = listAt(body, 'items');
          return (
            items.length === 2 && items.every(isReady) && items.every((each) => textAt(each, 'metadata', 'uid') !== uid)
          );
        },
      );
      await deploymentWhere(stage, 'web', settled);
      return atRest(stage);
    },
  },
  {
    id: 'crash-loop',
    title: 'a container that exits is started again, ever later, and its events say so',
    run: async (stage) => {
      stage.setBehaviours([
        { workload: 'web', when, run: { log: [{ at: 0, text: 'no' }], exit: { after: 1, code: 3, reason: 'Error' } } },
      ]);
      await start(stage, 'web', { replicas: 1, spec: { progressDeadlineSeconds: 4 } });
      await deploymentWhere(stage, 'web', (body) => conditionIs(body, 'Progressing', 'ProgressDeadlineExceeded'));
      await until(
        () => stage.admin.get(path('pods', stage.namespace)),
        ({ body }) => JSON.stringify(body).includes('CrashLoopBackOff'),
      );
      const { deployments, replicaSets } = (await view(stage)) as Record<string, unknown>;
      return { deployments, replicaSets };
    },
  },
  {
    id: 'unschedulable',
    title: 'pods that fit nowhere, each for another reason',
    run: async (stage) => {
      const { admin, namespace } = stage;
      const pods = [
        ['too-much-memory', { containers: [{ name: 'a', image: 'a:1', resources: { requests: { memory: '64Gi' } } }] }],
        [
          'too-much-of-both',
          { containers: [{ name: 'a', image: 'a:1', resources: { requests: { memory: '64Gi', cpu: '64' } } }] },
        ],
        [
          'cpu-on-one-only',
          {
            containers: [{ name: 'a', image: 'a:1', resources: { requests: { cpu: '9', memory: '20Gi' } } }],
            nodeSelector: { 'kubernetes.io/hostname': 'node-a' },
          },
        ],
        ['no-such-node', { containers: [{ name: 'a', image: 'a:1' }], nodeSelector: { disk: 'ssd' } }],
        [
          'affinity',
          {
            containers: [{ name: 'a', image: 'a:1' }],
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: {
                  nodeSelectorTerms: [
                    { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone-9'] }] },
                  ],
                },
              },
            },
          },
        ],
      ] as const;
      const seen: Record<string, unknown> = {};
      for (const [name, spec] of pods)
        await admin.post(path('pods', namespace), { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
      for (const [name] of pods) {
        const { body } = await until(
          () => admin.get(path('pods', namespace, name)),
          (answer) => JSON.stringify(answer.body).includes('Unschedulable'),
        );
        seen[name] = listAt(body, 'status', 'conditions').map((each) => [
          textAt(each, 'type'),
          textAt(each, 'status'),
          textAt(each, 'reason'),
          textAt(each, 'message'),
          Object.keys(each as object).sort(),
        ]);
      }
      await pause(500);
      return { seen, events: ((await view(stage)) as { events: unknown }).events };
    },
  },
  {
    id: 'jobs',
    title: 'jobs that complete, fail, run out of time, and wait',
    run: async (stage) => {
      const { admin, namespace } = stage;
      const done: Behaviour = { workload: 'good', when, run: { exit: { after: 1, code: 0, reason: 'Completed' } } };
      const fail: Behaviour = { workload: 'bad', when, run: { exit: { after: 1, code: 1, reason: 'Error' } } };
      const twice: Behaviour = { workload: 'parts', when, run: { exit: { after: 1, code: 0, reason: 'Completed' } } };
      stage.setBehaviours([done, fail, twice]);
      await admin.post(path('jobs', namespace), job('good'));
      await admin.post(path('jobs', namespace), job('bad', { spec: { backoffLimit: 0 } }));
      await admin.post(path('jobs', namespace), job('parts', { spec: { completions: 3, parallelism: 2 } }));
      await admin.post(path('jobs', namespace), job('late', { spec: { activeDeadlineSeconds: 3 } }));
      await admin.post(path('jobs', namespace), job('waiting', { spec: { suspend: true } }));
      const over = (name: string, type: string) =>
        until(
          () => admin.get(path('jobs', namespace, name)),
          ({ body }) =>
            listAt(body, 'status', 'conditions').some(
              (each) => textAt(each, 'type') === type && textAt(each, 'status') === 'True',
            ),
        );
      await over('good', 'Complete');
      await over('bad', 'Failed');
      await over('parts', 'Complete');
      await over('late', 'Failed');
      await over('waiting', 'Suspended');
      return atRest(stage);
    },
  },
  {
    id: 'job-retries',
    title: 'a job tries again as often as it may, and then says that it failed',
    run: async (stage) => {
      const { admin, namespace } = stage;
      stage.setBehaviours([{ workload: 'bad', when, run: { exit: { after: 1, code: 1, reason: 'Error' } } }]);
      await admin.post(path('jobs', namespace), job('bad', { spec: { backoffLimit: 1 } }));
      await until(
        () => admin.get(path('jobs', namespace, 'bad')),
        ({ body }) => listAt(body, 'status', 'conditions').some((each) => textAt(each, 'type') === 'Failed'),
      );
      return atRest(stage);
    },
  },
  {
    id: 'endpoints',
    title: 'endpoints of a Service follow the readiness of its pods',
    run: async (stage) => {
      stage.setBehaviours([never]);
      const { admin, namespace } = stage;
      await admin.post(path('services', namespace), service('web'));
      await pause(1500);
      const empty = await view(stage);
      await start(stage, 'web', { replicas: 2 });
      await deploymentWhere(stage, 'web', settled);
      const ready = await atRest(stage);
      await admin.patch(path('deployments', namespace, 'web'), [
        { op: 'replace', path: '/spec/strategy/rollingUpdate/maxUnavailable', value: 1 },
        { op: 'replace', path: IMAGE, value: 'registry.example/app:bad' },
      ]);
      await until(
        () => admin.get(path('pods', namespace)),
        ({ body }) =>
          listAt(body, 'items').filter((each) => !isReady(each) && textAt(each, 'status', 'phase') === 'Running')
            .length === 2,
      );
      const mixed = await atRest(stage);
      await scale(stage, 'web', 0);
      await deploymentWhere(stage, 'web', (body) => (numberAt(body, 'status', 'replicas') ?? 0) === 0);
      return { empty, ready, mixed, none: await atRest(stage) };
    },
  },
  {
    id: 'garbage',
    title: 'what a Deployment or a Job made goes with it, or stays when asked to',
    run: async (stage) => {
      const { admin, namespace } = stage;
      for (const name of ['web', 'kept']) await start(stage, name, { replicas: 1 });
      for (const name of ['web', 'kept']) await deploymentWhere(stage, name, settled);
      await admin.delete(path('deployments', namespace, 'web'), { propagationPolicy: 'Background' });
      await admin.delete(path('deployments', namespace, 'kept'), { propagationPolicy: 'Orphan' });
      await until(
        () => admin.get(path('pods', namespace)),
        ({ body }) => listAt(body, 'items').length === 1,
      );
      await until(
        () => admin.get(path('replicasets', namespace)),
        ({ body }) =>
          listAt(body, 'items').length === 1 && at(body, 'items', 0, 'metadata', 'ownerReferences') === undefined,
      );
      return atRest(stage);
    },
  },
  {
    id: 'disruption-budget',
    title: 'a budget counts what is there and what may go',
    run: async (stage) => {
      const { admin, namespace } = stage;
      await admin.post(path('poddisruptionbudgets', namespace), budget('web', { maxUnavailable: 1 }));
      await start(stage, 'web', { replicas: 3 });
      await deploymentWhere(stage, 'web', settled);
      await until(
        () => admin.get(path('poddisruptionbudgets', namespace, 'web')),
        ({ body }) => numberAt(body, 'status', 'currentHealthy') === 3,
      );
      return atRest(stage);
    },
  },
];
