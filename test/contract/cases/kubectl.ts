import { listAt, numberAt, textAt } from '../../../operator/src/demo/cluster/json-at.ts';
import type { Behaviour } from '../../../operator/src/demo/stories/behaviour.ts';
import { type ContractCase, type Stage, until } from '../case.ts';
import { normaliseOutput } from '../kubectl-text.ts';
import { isReady } from '../namespace-view.ts';
import { budget, configMap, deployment, job, path, service } from '../objects.ts';

const BEHAVIOURS: readonly Behaviour[] = [
  {
    workload: 'web',
    when: { kind: 'always' },
    run: {
      log: [
        { at: 0, text: 'listening' },
        { at: 0, text: 'ready to serve' },
      ],
    },
  },
  {
    workload: 'crash',
    when: { kind: 'always' },
    run: { log: [{ at: 0, text: 'cannot open /data' }], exit: { after: 1, code: 3, reason: 'Error' } },
  },
  { workload: 'once', when: { kind: 'always' }, run: { exit: { after: 1, code: 0, reason: 'Completed' } } },
];

interface Scene {
  readonly web: string;
  readonly crash: string;
}

/** A namespace with something of everything, at rest but for one crash loop. */
async function furnish(stage: Stage): Promise<Scene> {
  const { admin, namespace } = stage;
  stage.setBehaviours(BEHAVIOURS);
  const probe = { readinessProbe: { httpGet: { path: '/ready', port: 'http' } } };
  await admin.post(path('services', namespace), service('web'));
  await admin.post(path('configmaps', namespace), configMap('settings'));
  await admin.post(path('poddisruptionbudgets', namespace), budget('web', { minAvailable: 1 }));
  await admin.post(path('deployments', namespace), deployment('web', { replicas: 2, container: probe }));
  await admin.post(path('deployments', namespace), deployment('crash'));
  await admin.post(path('jobs', namespace), job('once'));
  await until(
    () => admin.get(path('jobs', namespace, 'once')),
    ({ body }) => numberAt(body, 'status', 'succeeded') === 1,
  );
  const pods = await until(
    async () => listAt((await admin.get(path('pods', namespace))).body, 'items'),
    (items) =>
      items.filter((each) => isOf(each, 'web')).every(isReady) &&
      items.some(
        (each) => isOf(each, 'crash') && (numberAt(each, 'status', 'containerStatuses', 0, 'restartCount') ?? 0) > 0,
      ),
  );
  const name = (workload: string) =>
    textAt(
      pods.find((each) => isOf(each, workload)),
      'metadata',
      'name',
    ) ?? '';
  return { web: name('web'), crash: name('crash') };
}

function isOf(pod: unknown, workload: string): boolean {
  return textAt(pod, 'metadata', 'labels', 'app.kubernetes.io/name') === workload;
}

type Kubectl = (line: string) => Promise<unknown>;

/** Runs `kubectl LINE` in the case's namespace; words are split at spaces. */
function kubectl(stage: Stage, as: 'admin' | 'operator' = 'admin'): Kubectl {
  return async (line) => {
    const { code, out, err } = await stage.kubectl(as, ['-n', stage.namespace, ...line.split(' ')]);
    const said = normaliseOutput(err);
    return { code, out: normaliseOutput(out), ...(said.length > 0 ? { said } : {}) };
  };
}

async function inTurn(run: Kubectl, lines: readonly string[]): Promise<unknown> {
  const seen: Record<string, unknown> = {};
  for (const line of lines) seen[normaliseOutput(line)[0] ?? line] = await run(line);
  return seen;
}

/** A crash loop is at another point of its rhythm each time. */
const STEADY = '-l app.kubernetes.io/name!=crash';

export const KUBECTL: readonly ContractCase[] = [
  {
    id: 'kubectl-get',
    title: 'kubectl get, of all kinds and in all forms',
    kubectl: true,
    run: async (stage) => {
      const { web } = await furnish(stage);
      return inTurn(kubectl(stage), [
        'get all -l app.kubernetes.io/name=web',
        `get pods ${STEADY}`,
        `get pods ${STEADY} -o wide`,
        `get pods ${STEADY} -o name`,
        'get pods -l app.kubernetes.io/name=web --field-selector status.phase=Running',
        'get pods --field-selector status.phase=Succeeded',
        `get pods -A -l app.kubernetes.io/name=web --field-selector metadata.namespace=${stage.namespace}`,
        `get pod ${web} -o jsonpath={.status.phase}`,
        `get pod ${web} --show-labels`,
        `get pods ${STEADY} --sort-by=.status.phase`,
        'get deploy web',
        'get deploy web -o wide',
        'get rs -l app.kubernetes.io/name=web',
        'get rs -l app.kubernetes.io/name=web -o wide',
        'get jobs',
        'get jobs -o wide',
        'get svc',
        'get svc -o wide',
        'get cm',
        'get nodes',
        'get nodes -o wide',
        `get ns ${stage.namespace}`,
        'get pdb',
        'get sa',
        'get leases -n kube-node-lease',
        'get sts,ds,hpa,ing,pvc,cj,netpol,secrets',
        'get endpointslices',
        'get pods nobody',
        'get unicorns',
        'get pods,deploy -l nobody=here',
        'get roles,rolebindings',
        'get roles,rolebindings -o wide',
      ]);
    },
  },
  {
    id: 'kubectl-describe',
    title: 'kubectl describe',
    kubectl: true,
    run: async (stage) => {
      const { web } = await furnish(stage);
      return inTurn(kubectl(stage), [
        `describe pod ${web}`,
        'describe deploy web',
        'describe rs -l app.kubernetes.io/name=web',
        'describe svc web',
        'describe job once',
        'describe node node-b',
        'describe cm settings',
        'describe pdb web',
        `describe ns ${stage.namespace}`,
        'describe sa default',
        'describe pod nobody',
        'describe role hephaisto-act',
      ]);
    },
  },
  {
    id: 'kubectl-logs',
    title: 'kubectl logs, of now and of the life before',
    kubectl: true,
    run: async (stage) => {
      const { web, crash } = await furnish(stage);
      return inTurn(kubectl(stage), [
        `logs ${web}`,
        `logs ${web} --tail=1`,
        `logs ${web} -c app`,
        `logs ${web} -c nobody`,
        `logs ${web} --previous`,
        `logs ${crash} --previous`,
        'logs nobody',
        'logs -l app.kubernetes.io/name=web --tail=1',
        `logs job/once`,
      ]);
    },
  },
  {
    id: 'kubectl-auth',
    title: 'kubectl auth can-i, one by one and as a list',
    kubectl: true,
    run: async (stage) => {
      const run = kubectl(stage, 'operator');
      const answers = await inTurn(run, [
        'auth can-i get pods',
        'auth can-i patch deployments',
        'auth can-i patch deployments -n default',
        'auth can-i patch deployments --subresource=scale',
        'auth can-i get secrets',
        'auth can-i create pods/exec',
        'auth can-i delete pods',
        'auth can-i * *',
        'auth can-i get /metrics',
        'auth can-i list pods -A',
        'auth whoami',
        'get secrets',
        'delete deploy web',
      ]);
      const { out } = (await run('auth can-i --list')) as { out: readonly string[] };
      return { answers, list: [...out].sort() };
    },
  },
  {
    id: 'kubectl-change',
    title: 'kubectl scale, rollout, delete and what waits for them',
    kubectl: true,
    run: async (stage) => {
      const { web } = await furnish(stage);
      const run = kubectl(stage);
      return {
        before: await inTurn(run, [
          'rollout status deploy/web',
          'rollout history deploy/web',
          'rollout history deploy/web --revision=1',
        ]),
        scaled: await run('scale deploy web --replicas=3'),
        waited: await run('wait --for=jsonpath={.status.readyReplicas}=3 deploy/web --timeout=30s'),
        refused: await run('scale deploy web --replicas=1 --current-replicas=9'),
        available: await run('wait --for=condition=Available deploy/web --timeout=30s'),
        deleted: await run(`delete pod ${web}`),
        again: await run(`delete pod ${web}`),
        ignored: await run('delete pod nobody --ignore-not-found'),
        job: await run('delete job once'),
        gone: await run('get jobs'),
        map: await run('delete cm settings'),
      };
    },
  },
  {
    id: 'kubectl-watch',
    title: 'kubectl get -w shows what happens',
    kubectl: true,
    run: async (stage) => {
      const { admin, namespace } = stage;
      await admin.post(path('configmaps', namespace), configMap('one'));
      const watching = stage.kubectl(
        'admin',
        [
          '-n',
          namespace,
          'get',
          'cm',
          '-w',
          '--output-watch-events',
          '--field-selector',
          'metadata.name!=kube-root-ca.crt',
        ],
        4000,
      );
      await new Promise((resolve) => setTimeout(resolve, 2000));
      await admin.post(path('configmaps', namespace), configMap('two'));
      await admin.patch(path('configmaps', namespace, 'two'), [{ op: 'add', path: '/data/more', value: 'x' }]);
      await admin.delete(path('configmaps', namespace, 'one'));
      const { out } = await watching;
      return normaliseOutput(out);
    },
  },
];
