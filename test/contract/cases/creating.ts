import { type ContractCase, whole } from '../case.ts';
import {
  budget,
  configMap,
  container,
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

const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: 'b3e4c5f6-0000-4000-8000-00000000000a' };

function secret(name: string): Json {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData: { password: 'x' },
    data: { user: 'YQ==' },
  };
}

/** A pod with each field that stories and their kubelet read. */
const FULL_POD: Json = parkedPod('full', {
  metadata: { annotations: { note: 'x' }, ownerReferences: [OWNER], finalizers: ['example.com/hold'] },
  spec: {
    volumes: [
      { name: 'cache', emptyDir: {} },
      { name: 'config', configMap: { name: 'c', optional: true } },
      { name: 'secret', secret: { secretName: 's' } },
    ],
    initContainers: [container({ name: 'init', image: 'registry.example/init', command: ['true'] })],
    containers: [
      container({
        image: 'registry.example/app@sha256:0000000000000000000000000000000000000000000000000000000000000000',
        env: [
          { name: 'PLAIN', value: 'x' },
          { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        ],
        ports: [{ containerPort: 8080 }],
        volumeMounts: [{ name: 'cache', mountPath: '/cache' }],
        resources: { limits: { memory: '64Mi', cpu: '0.1' }, requests: { cpu: '50m' } },
        readinessProbe: { httpGet: { port: 8080 } },
        livenessProbe: { tcpSocket: { port: 8080 }, initialDelaySeconds: 3 },
        startupProbe: { exec: { command: ['true'] } },
      }),
      { name: 'side', image: 'side:latest' },
    ],
  },
});

export const CREATING: readonly ContractCase[] = [
  {
    id: 'create-each-kind',
    title: 'objects of each kind that stories use, with what the server fills in',
    run: async ({ admin, namespace }) => {
      const create = async (resource: string, body: Json) => whole(await admin.post(path(resource, namespace), body));
      return {
        pod: await create('pods', parkedPod('plain')),
        configMap: await create('configmaps', configMap('c')),
        secret: await create('secrets', secret('s')),
        service: await create('services', service('web')),
        headless: await create('services', service('db', { clusterIP: 'None' })),
        lease: await create('leases', lease('l')),
        budget: await create('poddisruptionbudgets', budget('b', { minAvailable: 1 })),
        account: await create('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } }),
        deployment: await create('deployments', idleDeployment('d')),
        job: await create('jobs', job('j', { spec: { suspend: true } })),
      };
    },
  },
  {
    id: 'create-full-pod',
    title: 'a pod with every field that is read gets the same defaults',
    run: async ({ admin, namespace }) => whole(await admin.post(path('pods', namespace), FULL_POD)),
  },
  {
    id: 'create-guaranteed-pod',
    title: 'requests are taken from limits, and the class of service from both',
    run: async ({ admin, namespace }) => {
      const spec = { containers: [container({ resources: { limits: { cpu: '1', memory: '1Gi' } } })] };
      return whole(await admin.post(path('pods', namespace), parkedPod('web', { spec })));
    },
  },
  {
    id: 'create-workload-forms',
    title: 'a Deployment with its strategies, and a ReplicaSet of its own',
    run: async ({ admin, namespace }) => {
      const create = async (body: Json) => whole(await admin.post(path('deployments', namespace), body));
      const replicaSet = {
        ...idleDeployment('alone'),
        kind: 'ReplicaSet',
      };
      return {
        recreate: await create(idleDeployment('recreate', { spec: { strategy: { type: 'Recreate' } } })),
        rolling: await create(
          idleDeployment('rolling', { spec: { strategy: { rollingUpdate: { maxSurge: 1 } }, minReadySeconds: 3 } }),
        ),
        replicaSet: whole(await admin.post(path('replicasets', namespace), replicaSet)),
      };
    },
  },
  {
    id: 'create-roles',
    title: 'roles and bindings',
    run: async ({ admin, namespace }) => {
      const apiVersion = 'rbac.authorization.k8s.io/v1';
      const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
      const subjects = [
        { kind: 'ServiceAccount', name: 'default', namespace },
        { kind: 'User', name: 'ann' },
      ];
      return [
        whole(
          await admin.post(path('roles', namespace), { apiVersion, kind: 'Role', metadata: { name: 'reader' }, rules }),
        ),
        whole(
          await admin.post(path('rolebindings', namespace), {
            apiVersion,
            kind: 'RoleBinding',
            metadata: { name: 'reader' },
            roleRef,
            subjects,
          }),
        ),
        whole(
          await admin.post(path('clusterroles'), {
            apiVersion,
            kind: 'ClusterRole',
            metadata: { name: `contract-${namespace}` },
            rules,
          }),
        ),
        whole(
          await admin.post(path('clusterrolebindings'), {
            apiVersion,
            kind: 'ClusterRoleBinding',
            metadata: { name: `contract-${namespace}` },
            roleRef: { ...roleRef, kind: 'ClusterRole', name: `contract-${namespace}` },
            subjects,
          }),
        ),
      ];
    },
  },
  {
    id: 'create-namespace',
    title: 'a namespace, and what is in it from the start',
    run: async ({ admin, namespace }) => {
      const name = `${namespace}-more`;
      const made = whole(
        await admin.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
      );
      const again = whole(
        await admin.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
      );
      return [made, again];
    },
  },
  {
    id: 'create-events',
    title: 'events of both groups, and each seen as the other',
    run: async ({ admin, operator, namespace }) => [
      whole(await admin.post(path('events', namespace), coreEvent('older', namespace))),
      whole(await operator.get(newerEvents(namespace, 'older'))),
      whole(await operator.post(newerEvents(namespace), newerEvent('newer', namespace))),
      whole(await operator.get(path('events', namespace, 'newer'))),
      whole(await operator.post(newerEvents(namespace), newerEvent('newer', namespace))),
    ],
  },
  {
    id: 'create-bad-events',
    title: 'events that lack what they must say',
    run: async ({ admin, namespace }) => [
      whole(await admin.post(newerEvents(namespace), newerEvent('a', namespace, { action: undefined }))),
      whole(await admin.post(newerEvents(namespace), newerEvent('b', namespace, { reportingController: '' }))),
      whole(await admin.post(newerEvents(namespace), newerEvent('c', namespace, { type: 'Odd' }))),
      whole(await admin.post(newerEvents(namespace), newerEvent('d', namespace, { note: 'x'.repeat(1025) }))),
      whole(await admin.post(newerEvents(namespace), newerEvent('e', namespace, { eventTime: undefined }))),
      whole(
        await admin.post(
          path('events', namespace),
          coreEvent('f', namespace, { involvedObject: { kind: 'Pod', name: 'web', namespace: 'elsewhere' } }),
        ),
      ),
    ],
  },
  {
    id: 'create-generated-name',
    title: 'a name made by the server',
    run: async ({ admin, namespace }) => {
      const body = parkedPod('x', { metadata: { generateName: 'web-' } });
      Reflect.deleteProperty(body.metadata as object, 'name');
      return whole(await admin.post(path('pods', namespace), body));
    },
  },
  {
    id: 'create-twice',
    title: 'a second object of the same name is refused',
    run: async ({ admin, namespace }) => {
      const answers: unknown[] = [];
      for (const [resource, body] of [
        ['pods', parkedPod('web')],
        ['deployments', idleDeployment('web')],
        ['configmaps', configMap('web')],
        ['secrets', secret('web')],
        ['services', service('web')],
        ['leases', lease('web')],
        ['jobs', job('web', { spec: { suspend: true } })],
        ['events', coreEvent('web', namespace)],
      ] as const) {
        await admin.post(path(resource, namespace), body);
        answers.push(whole(await admin.post(path(resource, namespace), body)));
      }
      answers.push(
        whole(await admin.post(path('nodes'), { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } })),
      );
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
      answers.push(whole(await admin.post(path('serviceaccounts', namespace), account)));
      return answers;
    },
  },
  {
    id: 'create-dry',
    title: 'a dry run answers as the real one and stores nothing',
    run: async ({ admin, namespace }) => [
      whole(await admin.post(`${path('deployments', namespace)}?dryRun=All`, idleDeployment('web'))),
      whole(await admin.get(path('deployments', namespace, 'web'))),
      whole(await admin.post(`${path('deployments', namespace)}?dryRun=Some`, idleDeployment('web'))),
    ],
  },
  {
    id: 'create-invalid-workloads',
    title: 'workloads that contradict themselves',
    run: async ({ admin, namespace }) => {
      const create = async (body: Json) => whole(await admin.post(path('deployments', namespace), body));
      const other = { matchLabels: { other: 'one' } };
      return {
        noSelector: await create(idleDeployment('web', { spec: { selector: undefined } })),
        otherLabels: await create(idleDeployment('web', { spec: { selector: other } })),
        negative: await create(idleDeployment('web', { replicas: -1 })),
        name: await create(idleDeployment('Web_1')),
        noName: await create({ ...idleDeployment('web'), metadata: {} }),
        policy: await create(idleDeployment('web', { podSpec: { restartPolicy: 'Never' } })),
        strategy: await create(idleDeployment('web', { spec: { strategy: { type: 'Sideways' } } })),
        zero: await create(
          idleDeployment('web', { spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } }),
        ),
        jobPolicy: whole(
          await admin.post(path('jobs', namespace), job('web', { podSpec: { restartPolicy: 'Always' } })),
        ),
        servicePorts: whole(await admin.post(path('services', namespace), service('web', { ports: [] }))),
        servicePort: whole(
          await admin.post(path('services', namespace), service('web', { ports: [{ port: 70_000 }] })),
        ),
        budgetBoth: whole(
          await admin.post(
            path('poddisruptionbudgets', namespace),
            budget('web', { minAvailable: 1, maxUnavailable: 1 }),
          ),
        ),
      };
    },
  },
  {
    id: 'create-invalid-pods',
    title: 'pods that contradict themselves',
    run: async ({ admin, namespace }) => {
      const create = async (spec: Json) => whole(await admin.post(path('pods', namespace), parkedPod('web', { spec })));
      const one = async (more: Json) => create({ containers: [container(more)] });
      return {
        noContainers: await create({ containers: [] }),
        twins: await create({ containers: [container(), container()] }),
        policy: await create({ restartPolicy: 'Perhaps' }),
        noImage: await one({ image: '' }),
        spacedImage: await one({ image: ' a' }),
        pullPolicy: await one({ imagePullPolicy: 'Sometimes' }),
        containerName: await one({ name: 'App_1' }),
        port: await one({ ports: [{ containerPort: 0 }] }),
        mount: await one({ volumeMounts: [{ name: 'none', mountPath: '/x' }] }),
        probe: await one({ readinessProbe: { periodSeconds: 1 } }),
        both: await one({ env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
        overLimit: await one({ resources: { limits: { memory: '1Gi' }, requests: { memory: '2Gi' } } }),
        unknownResource: await one({ resources: { requests: { gold: '1' } } }),
        account: await create({ serviceAccountName: 'nobody' }),
      };
    },
  },
  {
    id: 'create-undecodable',
    title: 'bodies that are no object of the kind',
    run: async ({ admin, namespace }) => {
      const create = async (body: unknown, type?: string) =>
        whole(await admin.post(path('deployments', namespace), body, type === undefined ? {} : { type }));
      return {
        text: codeAndReason(await create('not json')),
        kind: await create({ ...idleDeployment('web'), kind: 'StatefulSet' }),
        version: await create({ ...idleDeployment('web'), apiVersion: 'apps/v1beta9' }),
        replicas: await create(idleDeployment('web', { spec: { replicas: 'three' } })),
        labels: await create({ ...idleDeployment('web'), metadata: { name: 'web', labels: { a: 1 } } }),
        env: await create(idleDeployment('web', { container: { env: [{ name: 'A', value: 5 }] } })),
        quantity: await create(idleDeployment('web', { container: { resources: { limits: { memory: 'lots' } } } })),
        plainText: codeAndReason(await create('x', 'text/plain')),
        namespace: await create({ ...idleDeployment('web'), metadata: { name: 'web', namespace: 'elsewhere' } }),
      };
    },
  },
  {
    id: 'create-in-nowhere',
    title: 'a namespace that does not exist, and a path that takes no object',
    run: async ({ admin, namespace }) => [
      whole(await admin.post(path('pods', 'nowhere'), parkedPod('web'))),
      whole(await admin.post(path('pods'), parkedPod('web'))),
      whole(await admin.post(path('pods', namespace, 'web'), parkedPod('web'))),
      whole(await admin.put(path('pods', namespace), parkedPod('web'))),
      whole(await admin.patch(path('pods', namespace), [])),
    ],
  },
  {
    id: 'create-with-status',
    title: 'a status that comes with a new object is dropped',
    run: async ({ admin, namespace }) => {
      const counted = { replicas: 3, readyReplicas: 3 };
      return [
        whole(await admin.post(path('pods', namespace), { ...parkedPod('web'), status: { phase: 'Running' } })),
        whole(await admin.post(path('deployments', namespace), { ...idleDeployment('web'), status: counted })),
      ];
    },
  },
  {
    id: 'node-life',
    title: 'a node is registered, gets its status, and goes',
    run: async ({ admin, namespace }) => {
      const name = `node-${namespace}`;
      const made = await admin.post(path('nodes'), {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels: { 'kubernetes.io/hostname': name } },
        spec: { unschedulable: true },
      });
      return [
        whole(made),
        (await admin.patch(path('nodes', '', name), [{ op: 'add', path: '/metadata/labels/a', value: 'b' }])).status,
        (await admin.delete(path('nodes', '', name))).status,
        whole(await admin.get(path('nodes', '', name))),
      ];
    },
  },
];

/** A JSON parser's own words differ from one parser to the next; that and how it is refused does not. */
function codeAndReason(answer: unknown): unknown {
  const { status, body } = answer as { status: number; body: { reason?: string } };
  return { status, reason: body.reason };
}
