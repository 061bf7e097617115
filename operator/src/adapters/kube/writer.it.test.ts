import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planWrite } from '@hephaisto/core/action/catalogue';
import type { RawObject } from '@hephaisto/core/action/raw-object';
import { rbacManifests } from '@hephaisto/core/action/rbac';
import { rightProbes } from '@hephaisto/core/action/rbac-matrix';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import { parsePolicy } from '@hephaisto/policy/policy-file';
import { verifies } from '@hephaisto/test/verifies';
import { judgeRights } from '../../boot/rbac-self-check.ts';
import { ADMIN, type SimulatedCluster } from '../../demo/cluster/simulated-cluster.ts';
import {
  DEPLOYMENT_PATH,
  deploymentManifest,
  POD_PATH,
  podManifest,
  type RawClient,
  withCluster,
} from '../../demo/cluster/testing/raw-client.ts';
import { followConfigMap } from '../../switches/config-map-arm.ts';
import { askRights } from '../../wiring/boot-check.ts';
import { systemClock, systemTimers } from '../clock/clock.ts';
import { createIds } from '../ids/ids.ts';
import { createConfigMapSource } from './config-map-source.ts';
import { type KubeConnection, openKubeConnection } from './connection.ts';
import { createKubeWriter } from './writer.ts';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const STAMPS = {
  actionId: 'act-1',
  incidentId: 'inc-1',
  approvedBy: 'person:ada',
  at: new Date('2026-01-01T00:00:00Z'),
};
const IDENTITY = { serviceAccount: 'hephaisto', namespace: 'hephaisto', configMap: 'switches' };
const OPERATOR = { serviceAccount: { namespace: 'hephaisto', name: 'hephaisto' } };
const CONFIG_MAPS = '/api/v1/namespaces/hephaisto/configmaps';

async function world(
  use: (parts: { connection: KubeConnection; client: RawClient; cluster: SimulatedCluster }) => Promise<void>,
  as: 'admin' | 'operator' = 'admin',
): Promise<void> {
  await withCluster(async (client, cluster) => {
    await client.post('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'hephaisto' } });
    await client.post('/api/v1/namespaces/hephaisto/serviceaccounts', {
      kind: 'ServiceAccount',
      apiVersion: 'v1',
      metadata: { name: 'hephaisto' },
    });
    for (const object of rbacManifests(IDENTITY, [
      { namespace: 'shop', kinds: ['PatchResources', 'ScaleWorkload', 'RestartPod'] },
    ]))
      await client.post(pathOf(object), object);
    const kubeconfigYaml = cluster.kubeconfigFor(as === 'admin' ? ADMIN : OPERATOR);
    const connection = await openKubeConnection({ kubeconfigYaml, defaultTimeoutMs: 5_000, log });
    try {
      await use({ connection, client, cluster });
    } finally {
      connection.close();
    }
  });
}

function pathOf(object: Readonly<Record<string, unknown>>): string {
  const { namespace } = object.metadata as { namespace?: string };
  const plural = `${String(object.kind).toLowerCase()}s`;
  return `/apis/rbac.authorization.k8s.io/v1/${namespace === undefined ? '' : `namespaces/${namespace}/`}${plural}`;
}

function writerOn(connection: KubeConnection) {
  return createKubeWriter(connection, {
    clock: systemClock,
    ids: createIds(systemClock),
    instance: 'test',
    timeoutMs: 5_000,
  });
}

function patchOf(object: RawObject): AnyActionRequest {
  const { name, uid } = object.metadata as { name: string; uid: string };
  const workload = { kind: 'Deployment', namespace: 'shop', name };
  return {
    type: 'PatchResources',
    workload,
    target: { ...workload, uid },
    params: { container: 'app', memoryLimitBytes: 2 ** 28 },
  };
}

describe('the writer, on a cluster', { timeout: 60_000 }, () => {
  it('patches by JSON Patch with preconditions, first dry, then for real, under its own field manager', () =>
    world(async ({ connection, client, cluster }) => {
      await client.post(DEPLOYMENT_PATH, deploymentManifest('web'));
      const object = (await client.get(`${DEPLOYMENT_PATH}/web`)).body;
      const planned = planWrite(patchOf(object), { object }, STAMPS);
      if (planned.kind === 'impossible') return assert.fail(planned.message);
      const writer = writerOn(connection);
      const dry = await writer.send(planned.write, { dryRun: true });
      assert.equal(dry.kind, 'ok');
      assert.deepEqual((await client.get(`${DEPLOYMENT_PATH}/web`)).body.spec, object.spec);
      const real = await writer.send(planned.write, { dryRun: false });
      assert.equal(real.kind, 'ok');
      const after = (await client.get(`${DEPLOYMENT_PATH}/web`)).body;
      assert.deepEqual(after.spec.template.spec.containers[0].resources.limits, { memory: '256Mi' });
      assert.equal(after.metadata.annotations['hephaisto.io/action-id'], 'act-1');
      const again = await writer.send(planned.write, { dryRun: false });
      assert.deepEqual(again.kind === 'failure' && [again.reason, again.status], ['invalid', 422]);
      const patches = cluster.requests.writes().filter(({ verb }) => verb === 'patch');
      assert.deepEqual(
        patches.map(({ dryRun, patchType, status }) => [dryRun, patchType, status]),
        [
          [true, 'application/json-patch+json', 200],
          [false, 'application/json-patch+json', 200],
          [false, 'application/json-patch+json', 422],
        ],
      );
    }));

  it('scales by the subresource, with the resourceVersion that was read', () =>
    world(async ({ connection, client }) => {
      await client.post(DEPLOYMENT_PATH, deploymentManifest('web'));
      const object = (await client.get(`${DEPLOYMENT_PATH}/web`)).body;
      const { workload, target } = patchOf(object);
      const planned = planWrite(
        { type: 'ScaleWorkload', workload, target, params: { fromReplicas: 2, toReplicas: 3 } },
        { object },
        STAMPS,
      );
      if (planned.kind === 'impossible') return assert.fail(planned.message);
      const writer = writerOn(connection);
      assert.equal((await writer.send(planned.write, { dryRun: true })).kind, 'ok');
      const real = await writer.send(planned.write, { dryRun: false });
      assert.equal(real.kind, 'ok', JSON.stringify(real));
      assert.equal((await client.get(`${DEPLOYMENT_PATH}/web`)).body.spec.replicas, 3);
      const again = await writer.send(planned.write, { dryRun: false });
      assert.equal(again.kind, 'failure');
    }));

  it('deletes this very pod and not its namesake', () =>
    world(async ({ connection, client }) => {
      const { body } = await client.post(POD_PATH, podManifest('a'));
      const writer = writerOn(connection);
      const wrong = {
        verb: 'delete',
        apiVersion: 'v1',
        resource: 'pods',
        namespace: 'shop',
        name: 'a',
        preconditions: { uid: 'another' },
      } as const;
      const refused = await writer.send(wrong, { dryRun: false });
      assert.equal(refused.kind === 'failure' && refused.reason, 'conflict');
      const right = { ...wrong, preconditions: { uid: body.metadata.uid } };
      assert.equal((await writer.send(right, { dryRun: true })).kind, 'ok');
      assert.equal((await client.get(`${POD_PATH}/a`)).body.metadata.deletionTimestamp, undefined);
      assert.equal((await writer.send(right, { dryRun: false })).kind, 'ok');
      const left = await client.get(`${POD_PATH}/a`);
      assert.ok(left.status === 404 || left.body.metadata.deletionTimestamp !== undefined);
    }));

  it('evicts this very pod, and names the disruption budget that refuses', () =>
    world(async ({ connection, client }) => {
      const pods = new Map<string, string>();
      for (const name of ['a', 'b']) {
        const { body } = await client.post(POD_PATH, podManifest(name));
        const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
        await client.put(`${POD_PATH}/${name}/status`, { ...body, status });
        pods.set(name, body.metadata.uid);
      }
      await client.post('/apis/policy/v1/namespaces/shop/poddisruptionbudgets', {
        kind: 'PodDisruptionBudget',
        apiVersion: 'policy/v1',
        metadata: { name: 'keep' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
      });
      const writer = writerOn(connection);
      const evict = (name: string, uid = pods.get(name) ?? '', dryRun = false) => {
        const where = { apiVersion: 'v1', resource: 'pods', namespace: 'shop', name } as const;
        return writer.send({ verb: 'evict', ...where, preconditions: { uid } }, { dryRun });
      };
      const wrong = await evict('a', 'another');
      assert.equal(wrong.kind === 'failure' && wrong.reason, 'conflict');
      assert.equal((await evict('a', pods.get('a'), true)).kind, 'ok');
      assert.equal((await client.get(`${POD_PATH}/a`)).body.metadata.deletionTimestamp, undefined);
      assert.equal((await evict('a')).kind, 'ok');
      const refused = await evict('b');
      assert.equal(refused.kind === 'failure' && refused.reason, 'too-many-requests');
      assert.match(refused.kind === 'failure' ? refused.message : '', /disruption budget keep needs 1 healthy pods/);
    }));

  it('mirrors an event on the target', () =>
    world(async ({ connection, client }) => {
      verifies('H3-72');
      const { body } = await client.post(POD_PATH, podManifest('a'));
      const regarding = { kind: 'Pod', namespace: 'shop', name: 'a', uid: body.metadata.uid, apiVersion: 'v1' };
      const note = `hephaisto restarted this pod because ${'ä'.repeat(900)}`;
      const sent = await writerOn(connection).event({
        regarding,
        reason: 'RemediationApplied',
        action: 'RestartPod',
        note,
        type: 'Normal',
      });
      assert.equal(sent.kind, 'ok', JSON.stringify(sent));
      const events = (await client.get('/apis/events.k8s.io/v1/namespaces/shop/events')).body.items;
      const [event] = events.filter((each: { reason: string }) => each.reason === 'RemediationApplied');
      assert.deepEqual([event.regarding.uid, event.reportingController], [body.metadata.uid, 'hephaisto.io/operator']);
      assert.ok(Buffer.byteLength(event.note) <= 1024 && event.note.startsWith('hephaisto restarted this pod because'));
    }));

  it('as the operator’s own identity: allowed where the Role is, refused everywhere else, whatever policy would say', () =>
    world(async ({ connection, client }) => {
      verifies('H3-50', 'H3-51');
      await client.post('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'other' } });
      const elsewhere = DEPLOYMENT_PATH.replace('shop', 'other');
      await client.post(DEPLOYMENT_PATH, deploymentManifest('web'));
      await client.post(elsewhere, deploymentManifest('web'));
      const writer = writerOn(connection);
      for (const [path, namespace, expected] of [
        [DEPLOYMENT_PATH, 'shop', 'ok'],
        [elsewhere, 'other', 'forbidden'],
      ] as const) {
        const object = (await client.get(`${path}/web`)).body;
        const planned = planWrite(patchOf(object), { object }, STAMPS);
        if (planned.kind === 'impossible') return assert.fail(planned.message);
        const answer = await writer.send(planned.write, { dryRun: false });
        assert.equal(answer.kind === 'failure' ? answer.reason : answer.kind, expected, namespace);
      }
      const secrets = await connection.request({ method: 'GET', path: '/api/v1/namespaces/shop/secrets' });
      assert.equal(secrets.kind === 'failure' && secrets.reason, 'forbidden');
    }, 'operator'));

  it('the boot check fits the generated Roles on a real authorizer, and refuses one binding more', () =>
    world(async ({ connection, client, cluster }) => {
      verifies('H3-52', 'H3-75');
      const parsed = parsePolicy({
        version: 1,
        namespaces: [{ match: 'shop', kinds: ['PatchResources', 'ScaleWorkload', 'RestartPod'] }],
      });
      if (parsed.kind === 'refused') return assert.fail('expected a policy');
      const check = async () => {
        const report = await askRights(connection, parsed.policy, ['hephaisto']);
        return { verdict: judgeRights(report), missing: report.missing.length };
      };
      assert.deepEqual(await check(), { verdict: { kind: 'fits' }, missing: 0 });
      const asked = cluster.requests.all().map(({ resource }) => resource);
      const namespaces = (await client.get('/api/v1/namespaces')).body.items.length;
      assert.equal(asked.filter((resource) => resource === 'selfsubjectrulesreviews').length, namespaces);
      // Those for all namespaces at once, which no rules review covers.
      const single = asked.filter((resource) => resource === 'selfsubjectaccessreviews').length;
      assert.equal(single, rightProbes('').length);
      const metadata = { name: 'too-much' };
      await client.post('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata,
        rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
      });
      await client.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata,
        subjects: [{ kind: 'ServiceAccount', name: 'hephaisto', namespace: 'hephaisto' }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'too-much' },
      });
      const { verdict } = await check();
      assert.ok(verdict.kind === 'refused' && verdict.message.includes('get secrets in all namespaces'));
    }, 'operator'));
});

describe('the ConfigMap of switches, on a cluster', { timeout: 60_000 }, () => {
  it('is followed within a second; missing, deleted and forbidden read as observe', () =>
    world(async ({ connection, client, cluster }) => {
      verifies('H3-59', 'H3-60');
      let changed = Promise.withResolvers<void>();
      const arm = followConfigMap(
        createConfigMapSource(connection, { namespace: 'hephaisto', name: 'switches' }),
        { clock: systemClock, timers: systemTimers, log, random: () => 0.5 },
        () => {
          changed.resolve();
          changed = Promise.withResolvers();
        },
      );
      const until = async (holds: () => boolean): Promise<void> => {
        for (let i = 0; i < 40 && !holds(); i += 1) await systemTimers.sleep(25);
        assert.ok(holds(), JSON.stringify(arm.current()));
      };
      const says = (mode: string) => () => {
        const now = arm.current();
        return now.kind === 'read' && now.values.agent_mode === mode;
      };
      const unreadable = () => arm.current().kind === 'unreadable';
      try {
        await arm.ready;
        assert.ok(unreadable());
        await client.post(CONFIG_MAPS, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'switches' },
          data: { mode: 'approve' },
        });
        await until(says('approve'));
        await client.patch(`${CONFIG_MAPS}/switches`, [{ op: 'replace', path: '/data/mode', value: 'observe' }]);
        await until(says('observe'));
        await client.patch(`${CONFIG_MAPS}/switches`, [{ op: 'replace', path: '/data/mode', value: 'auto' }]);
        await until(says('auto'));
        await client.delete(`${CONFIG_MAPS}/switches`);
        await until(unreadable);
        await client.post(CONFIG_MAPS, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'switches' },
          data: { mode: 'approve' },
        });
        await until(says('approve'));
        const lift = cluster.faults.add({
          when: ({ resource, verb }) => resource === 'configmaps' && verb === 'list',
          fault: { kind: 'answer', status: 403 },
        });
        cluster.cutWatches();
        await until(unreadable);
        lift();
        await until(says('approve'));
      } finally {
        await arm.close();
      }
    }, 'operator'));
});
