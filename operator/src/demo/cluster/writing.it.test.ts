import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEPLOYMENT_PATH, deploymentManifest, POD_PATH, podManifest, withCluster } from './testing/raw-client.ts';

const CONFIG_PATH = '/api/v1/namespaces/shop/configmaps';
const NODES = '/api/v1/nodes';

describe('writing to the simulated cluster', () => {
  it('fills in what a real API server fills in', () =>
    withCluster(async (client) => {
      const { status, body } = await client.post(DEPLOYMENT_PATH, deploymentManifest('web'));
      assert.equal(status, 201);
      assert.deepEqual(body.spec.strategy, {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
      });
      const { progressDeadlineSeconds, revisionHistoryLimit, template } = body.spec;
      assert.deepEqual([progressDeadlineSeconds, revisionHistoryLimit], [600, 10]);
      assert.equal(template.spec.restartPolicy, 'Always');
      assert.equal(template.spec.terminationGracePeriodSeconds, 30);
      assert.equal(template.spec.containers[0].imagePullPolicy, 'IfNotPresent');
      assert.deepEqual(body.status, {});
      const pod = await client.post(
        POD_PATH,
        podManifest('a', {
          spec: { containers: [{ name: 'app', image: 'web', resources: { limits: { memory: '1Gi' } } }] },
        }),
      );
      assert.equal(pod.body.spec.containers[0].imagePullPolicy, 'Always');
      assert.deepEqual(pod.body.spec.containers[0].resources.requests, { memory: '1Gi' });
      assert.deepEqual(pod.body.status, { phase: 'Pending', qosClass: 'Burstable' });
      assert.equal(pod.body.spec.serviceAccountName, 'default');
    }));

  const faults: Readonly<Record<string, readonly [manifest: object, message: RegExp]>> = {
    'no name': [{ ...deploymentManifest('x'), metadata: {} }, /name or generateName is required/],
    'a name in capitals': [
      { ...deploymentManifest('x'), metadata: { name: 'Web' } },
      /metadata.name: Invalid value: "Web"/,
    ],
    'no image': [deploymentManifest('x', {}, { image: undefined }), /containers\[0\].image: Required value/],
    'no container name': [deploymentManifest('x', {}, { name: undefined }), /containers\[0\].name: Required value/],
    'negative replicas': [deploymentManifest('x', { replicas: -1 }), /spec.replicas: Invalid value: -1/],
    'a selector that misses the template': [
      deploymentManifest('x', { selector: { matchLabels: { app: 'y' } } }),
      /does not match template/,
    ],
    'no selector': [deploymentManifest('x', { selector: undefined }), /spec.selector: Required value/],
    'a limit under the request': [
      deploymentManifest('x', {}, { resources: { limits: { memory: '100Mi' }, requests: { memory: '200Mi' } } }),
      /requests: Invalid value: "200Mi": must be less than or equal to memory limit of 100Mi/,
    ],
    'an unknown resource': [
      deploymentManifest('x', {}, { resources: { limits: { memori: '1' } } }),
      /must be a standard resource type/,
    ],
    'a mount of nothing': [
      deploymentManifest('x', {}, { volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
      /volumeMounts\[0\].name: Not found: "v"/,
    ],
  };
  for (const [sentence, [manifest, message]] of Object.entries(faults)) {
    it(`refuses a deployment with ${sentence}, also as a dry run`, () =>
      withCluster(async (client) => {
        for (const query of ['', '?dryRun=All']) {
          const { status, body } = await client.post(DEPLOYMENT_PATH + query, manifest);
          assert.deepEqual([status, body.reason], [422, 'Invalid']);
          assert.match(body.message, message);
          assert.ok(body.details.causes[0].field);
        }
      }));
  }

  it('refuses what does not fit the type: as a bad request when created, as invalid when patched', () =>
    withCluster(async (client) => {
      const wrong = { resources: { limits: { memory: 'lots' } } };
      const created = await client.post(DEPLOYMENT_PATH, deploymentManifest('x', {}, wrong));
      assert.deepEqual([created.status, created.body.reason], [400, 'BadRequest']);
      assert.match(created.body.message, /quantities must match/);
      await client.post(DEPLOYMENT_PATH, deploymentManifest('web'));
      const patched = await client.patch(`${DEPLOYMENT_PATH}/web`, [
        { op: 'add', path: '/spec/template/spec/containers/0/resources', value: wrong.resources },
      ]);
      assert.deepEqual([patched.status, patched.body.reason], [422, 'Invalid']);
      const env = await client.post(
        DEPLOYMENT_PATH,
        deploymentManifest('y', {}, { env: [{ name: 'PORT', value: 80 }] }),
      );
      assert.match(env.body.message, /cannot unmarshal number/);
      assert.equal((await client.post(DEPLOYMENT_PATH, '{', {})).status, 400);
      assert.equal((await client.post(DEPLOYMENT_PATH, podManifest('p'))).status, 400);
    }));

  it('refuses a namespace that is not there, another namespace in the object, and a name that is taken', () =>
    withCluster(async (client) => {
      const nowhere = await client.post('/api/v1/namespaces/none/pods', podManifest('a'));
      assert.deepEqual([nowhere.status, nowhere.body.message], [404, 'namespaces "none" not found']);
      const elsewhere = await client.post(POD_PATH, {
        ...podManifest('a'),
        metadata: { name: 'a', namespace: 'other' },
      });
      assert.equal(elsewhere.status, 400);
      await client.post(POD_PATH, podManifest('a'));
      const again = await client.post(POD_PATH, podManifest('a'));
      assert.deepEqual(
        [again.status, again.body.reason, again.body.details],
        [409, 'AlreadyExists', { name: 'a', kind: 'pods' }],
      );
      const account = await client.post(
        POD_PATH,
        podManifest('b', { spec: { serviceAccountName: 'ghost', containers: [{ name: 'app', image: 'web:1' }] } }),
      );
      assert.match(account.body.message, /serviceaccount "ghost" not found/);
    }));

  it('changes by JSON Patch only as far as its tests hold', () =>
    withCluster(async (client) => {
      const made = await client.post(DEPLOYMENT_PATH, deploymentManifest('web'));
      const path = `${DEPLOYMENT_PATH}/web`;
      const image = '/spec/template/spec/containers/0/image';
      const change = { op: 'replace', path: image, value: 'web:2' };
      const failed = await client.patch(path, [{ op: 'test', path: image, value: 'web:9' }, change]);
      assert.deepEqual([failed.status, failed.body.reason], [422, 'Invalid']);
      assert.equal(failed.body.message, 'the server rejected our request due to an error in our request');
      const { resourceVersion } = made.body.metadata;
      const done = await client.patch(path, [
        { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'test', path: '/metadata/annotations', value: null },
        change,
      ]);
      assert.deepEqual([done.status, done.body.metadata.generation], [200, 2]);
      assert.equal(done.body.spec.template.spec.containers[0].image, 'web:2');
      const late = await client.patch(path, [
        { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
        change,
      ]);
      assert.equal(late.status, 422);
      const stale = await client.patch(path, [
        { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
        change,
      ]);
      assert.deepEqual([stale.status, stale.body.reason], [409, 'Conflict']);
      const selector = await client.patch(path, [
        { op: 'add', path: '/spec/selector/matchLabels/x', value: 'y' },
        { op: 'add', path: '/spec/template/metadata/labels/x', value: 'y' },
      ]);
      assert.match(selector.body.message, /spec.selector: Invalid value: .*field is immutable/);
      assert.equal((await client.patch(`${DEPLOYMENT_PATH}/none`, [change])).status, 404);
    }));

  it('merges as kubectl does, held to the same checks', () =>
    withCluster(async (client) => {
      await client.post(DEPLOYMENT_PATH, deploymentManifest('web'));
      const path = `${DEPLOYMENT_PATH}/web`;
      const strategic = { type: 'application/strategic-merge-patch+json' };
      const [container] = deploymentManifest('web').spec.template.spec.containers;
      const containers = [{ name: container?.name, image: 'web:2' }];
      const image = await client.patch(path, { spec: { template: { spec: { containers } } } }, strategic);
      assert.deepEqual([image.status, image.body.metadata.generation], [200, 2]);
      assert.equal(image.body.spec.template.spec.containers[0].image, 'web:2');
      const merge = { type: 'application/merge-patch+json' };
      const label = await client.patch(path, { metadata: { labels: { tier: 'front' } } }, merge);
      assert.deepEqual([label.status, label.body.metadata.labels.tier], [200, 'front']);
      for (const type of [strategic, merge]) {
        const selector = await client.patch(path, { spec: { selector: { matchLabels: { app: 'x' } } } }, type);
        assert.deepEqual([selector.status, selector.body.reason], [422, 'Invalid'], type.type);
      }
    }));

  it('refuses the other ways to change an object', () =>
    withCluster(async (client) => {
      await client.post(DEPLOYMENT_PATH, deploymentManifest('web'));
      const path = `${DEPLOYMENT_PATH}/web`;
      const applied = await client.patch(path, { spec: { replicas: 3 } }, { type: 'application/apply-patch+yaml' });
      assert.deepEqual([applied.status, applied.body.reason], [415, 'UnsupportedMediaType']);
      assert.equal((await client.put(path, deploymentManifest('web'))).status, 501);
      assert.equal((await client.delete(DEPLOYMENT_PATH)).status, 501);
      assert.equal((await client.post(`${POD_PATH}/a/exec`, {})).status, 501);
      assert.equal((await client.post(path, {})).status, 405);
      assert.equal((await client.get('/api/v1/namespaces/shop/gadgets')).status, 404);
    }));

  it('keeps status and spec apart', () =>
    withCluster(async (client) => {
      await client.post(DEPLOYMENT_PATH, deploymentManifest('web'));
      const path = `${DEPLOYMENT_PATH}/web`;
      const status = await client.patch(`${path}/status`, [
        { op: 'add', path: '/status/readyReplicas', value: 2 },
        { op: 'replace', path: '/spec/replicas', value: 9 },
      ]);
      assert.deepEqual(
        [status.body.status.readyReplicas, status.body.spec.replicas, status.body.metadata.generation],
        [2, 2, 1],
      );
      const main = await client.patch(path, [
        { op: 'replace', path: '/status/readyReplicas', value: 7 },
        { op: 'replace', path: '/spec/replicas', value: 3 },
      ]);
      assert.deepEqual([main.body.status.readyReplicas, main.body.spec.replicas], [2, 3]);
      const put = await client.put(`${path}/status`, { ...main.body, status: { readyReplicas: 1 } });
      assert.equal(put.body.status.readyReplicas, 1);
      const stale = await client.put(`${path}/status`, { ...main.body, status: { readyReplicas: 0 } });
      assert.deepEqual([stale.status, stale.body.reason], [409, 'Conflict']);
    }));

  it('replaces config maps and leases whole', () =>
    withCluster(async (client) => {
      const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'c' }, data: { a: '1', b: '2' } };
      await client.post(CONFIG_PATH, map);
      const { body } = await client.put(`${CONFIG_PATH}/c`, { ...map, data: { a: '3' } });
      assert.deepEqual(body.data, { a: '3' });
      const leases = '/apis/coordination.k8s.io/v1/namespaces/shop/leases';
      const lease = await client.post(leases, {
        kind: 'Lease',
        apiVersion: 'coordination.k8s.io/v1',
        metadata: { name: 'l' },
        spec: { holderIdentity: 'x' },
      });
      const held = await client.put(`${leases}/l`, { ...lease.body, spec: { holderIdentity: 'y' } });
      assert.equal(held.body.spec.holderIdentity, 'y');
      assert.equal((await client.put(`${leases}/l`, { ...lease.body, spec: { holderIdentity: 'z' } })).status, 409);
    }));

  it('does nothing on a dry run but say what it would', () =>
    withCluster(async (client, cluster) => {
      await client.post(DEPLOYMENT_PATH, deploymentManifest('web'));
      await client.post(POD_PATH, podManifest('a'));
      const before = cluster.store.revision();
      const path = `${DEPLOYMENT_PATH}/web`;
      const made = await client.post(`${DEPLOYMENT_PATH}?dryRun=All`, deploymentManifest('new'));
      const patched = await client.patch(`${path}?dryRun=All`, [{ op: 'replace', path: '/spec/replicas', value: 5 }]);
      const scaled = await client.patch(`${path}/scale?dryRun=All`, [
        { op: 'replace', path: '/spec/replicas', value: 6 },
      ]);
      const deleted = await client.delete(`${POD_PATH}/a?dryRun=All`);
      const evicted = await client.post(`${POD_PATH}/a/eviction?dryRun=All`, {
        kind: 'Eviction',
        apiVersion: 'policy/v1',
        metadata: { name: 'a' },
      });
      assert.deepEqual(
        [made, patched, scaled, deleted, evicted].map(({ status }) => status),
        [201, 200, 200, 200, 201],
      );
      assert.deepEqual([patched.body.spec.replicas, scaled.body.spec.replicas], [5, 6]);
      assert.equal(cluster.store.revision(), before);
      assert.equal((await client.patch(`${path}?dryRun=Some`, [])).status, 422);
      assert.deepEqual(cluster.requests.writes().filter(({ dryRun }) => dryRun).length, 5);
    }));

  it('scales with the resourceVersion as precondition', () =>
    withCluster(async (client) => {
      await client.post(DEPLOYMENT_PATH, deploymentManifest('web'));
      const path = `${DEPLOYMENT_PATH}/web/scale`;
      const { body: scale } = await client.get(path);
      assert.deepEqual([scale.kind, scale.spec.replicas, scale.status.selector], ['Scale', 2, 'app=web']);
      assert.equal((await client.put(path, { ...scale, spec: { replicas: 4 } })).body.spec.replicas, 4);
      const late = await client.put(path, { ...scale, spec: { replicas: 6 } });
      assert.deepEqual([late.status, late.body.reason], [409, 'Conflict']);
      const negative = await client.patch(path, { spec: { replicas: -1 } }, { type: 'application/merge-patch+json' });
      assert.deepEqual([negative.status, negative.body.details.kind], [422, 'Scale']);
      assert.equal((await client.get(`${DEPLOYMENT_PATH}/web`)).body.spec.replicas, 4);
    }));

  it('binds a pod once, then deletes it gracefully and by its preconditions', () =>
    withCluster(async (client) => {
      await client.post(POD_PATH, podManifest('a'));
      const target = {
        kind: 'Binding',
        apiVersion: 'v1',
        metadata: { name: 'a' },
        target: { kind: 'Node', name: 'n1' },
      };
      assert.equal((await client.post(`${POD_PATH}/a/binding`, target)).status, 201);
      const again = await client.post(`${POD_PATH}/a/binding`, target);
      assert.match(again.body.message, /already assigned to node "n1"/);
      const { body: pod } = await client.get(`${POD_PATH}/a`);
      assert.equal(pod.status.conditions[0].type, 'PodScheduled');
      const moved = await client.patch(`${POD_PATH}/a`, [{ op: 'replace', path: '/spec/nodeName', value: 'n2' }]);
      assert.match(moved.body.message, /pod updates may not change fields other than/);
      const wrong = await client.delete(`${POD_PATH}/a`, {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        preconditions: { uid: 'other' },
      });
      assert.deepEqual([wrong.status, wrong.body.reason], [409, 'Conflict']);
      const old = await client.delete(`${POD_PATH}/a`, { preconditions: { resourceVersion: '1' } });
      assert.equal(old.status, 409);
      const leaving = await client.delete(`${POD_PATH}/a`, {
        preconditions: { uid: pod.metadata.uid },
        gracePeriodSeconds: 5,
      });
      assert.equal(leaving.body.metadata.deletionGracePeriodSeconds, 5);
      assert.equal((await client.get(`${POD_PATH}/a`)).status, 200);
      await client.delete(`${POD_PATH}/a`, { gracePeriodSeconds: 0 });
      assert.equal((await client.get(`${POD_PATH}/a`)).status, 404);
    }));

  it('evicts as far as the disruption budget goes', () =>
    withCluster(async (client) => {
      for (const name of ['a', 'b']) {
        const { body } = await client.post(POD_PATH, podManifest(name));
        const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
        await client.put(`${POD_PATH}/${name}/status`, { ...body, status });
      }
      await client.post('/apis/policy/v1/namespaces/shop/poddisruptionbudgets', {
        kind: 'PodDisruptionBudget',
        apiVersion: 'policy/v1',
        metadata: { name: 'keep' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
      });
      const eviction = (name: string) => ({ kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name } });
      assert.equal((await client.post(`${POD_PATH}/a/eviction`, eviction('a'))).status, 201);
      const refused = await client.post(`${POD_PATH}/b/eviction`, eviction('b'));
      assert.deepEqual([refused.status, refused.body.reason], [429, 'TooManyRequests']);
      assert.equal(refused.body.details.causes[0].reason, 'DisruptionBudget');
      assert.equal((await client.get(`${POD_PATH}/b`)).status, 200);
    }));

  it('patches nodes and their status', () =>
    withCluster(async (client) => {
      await client.post(NODES, { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n1' } });
      await client.patch(`${NODES}/n1`, [{ op: 'add', path: '/spec', value: { unschedulable: true } }]);
      await client.patch(`${NODES}/n1/status`, [
        { op: 'add', path: '/status/conditions', value: [{ type: 'Ready', status: 'True' }] },
      ]);
      const { body } = await client.get(`${NODES}?fieldSelector=spec.unschedulable=true`, {
        accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
      });
      assert.equal(body.rows[0].cells[1], 'Ready,SchedulingDisabled');
    }));
});
