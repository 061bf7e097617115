import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig } from '@hephaisto/core/config/parse';
import type { KubeCall, KubeConnection } from '../../adapters/kube/connection.ts';
import { checkFirstAdmin, checkReads, checkSwitches } from './cluster-checks.ts';

interface Asked {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly verb: string;
}

function cluster(allows: (asked: Asked) => boolean | 'silent'): Pick<KubeConnection, 'request'> {
  return {
    request: async (call: KubeCall) => {
      const { spec } = JSON.parse(call.body ?? '') as { spec: { resourceAttributes: Asked } };
      const allowed = allows(spec.resourceAttributes);
      if (allowed === 'silent') return { kind: 'failure', reason: 'timeout', message: 'no answer' };
      return { kind: 'ok', value: { status: 201, headers: {}, text: JSON.stringify({ status: { allowed } }) } };
    },
  };
}

test('with all rights there is one line and nothing to do', async () => {
  const findings = await checkReads(cluster(() => true));
  assert.deepEqual(
    findings.map((finding) => finding.status),
    ['ok'],
  );
});

test('a right that is missing is named with what is lost and the exact rule', async () => {
  const findings = await checkReads(
    cluster(({ resource, subresource }) => resource !== 'deployments' && subresource !== 'log'),
  );
  assert.deepEqual(findings.map((finding) => finding.name).sort(), ['read-deployments', 'read-pods/log']);
  const deployments = findings.find((finding) => finding.name === 'read-deployments');
  assert.equal(
    deployments?.remedy,
    'add to the ClusterRole: {apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list", "watch"]}',
  );
  assert.match(deployments?.lost ?? '', /rollouts are not seen/);
});

test('a question that gets no answer counts as a right that is missing', async () => {
  const findings = await checkReads(
    cluster(({ resource, verb }) => (resource === 'nodes' && verb === 'watch' ? 'silent' : true)),
  );
  assert.match(findings[0]?.remedy ?? '', /resources: \["nodes"\], verbs: \["watch"\]/);
});

test('events of both groups are told apart', async () => {
  const findings = await checkReads(cluster(({ resource }) => resource !== 'events'));
  assert.deepEqual(findings.map(({ name }) => name).sort(), ['read-events', 'read-events.events.k8s.io']);
});

test('a ConfigMap of switches that is absent or may not be read is told with what it costs', async () => {
  const answering = (text: string | undefined) =>
    ({
      request: async () =>
        text === undefined
          ? { kind: 'failure', reason: 'forbidden', message: 'no' }
          : { kind: 'ok', value: { status: 200, headers: {}, text } },
    }) as unknown as KubeConnection;
  const object = { namespace: 'hephaisto', name: 'hephaisto-switches' };
  const list = (items: unknown[]) => JSON.stringify({ metadata: { resourceVersion: '1' }, items });
  const forbidden = await checkSwitches(answering(undefined), object);
  assert.match(`${forbidden.status} ${forbidden.lost} ${forbidden.remedy}`, /^missing .*observe.*hephaisto rbac/);
  const absent = await checkSwitches(answering(list([])), object);
  assert.match(absent.remedy ?? '', /create configmap hephaisto-switches --from-literal=mode=/);
  const held = await checkSwitches(
    answering(list([{ metadata: { name: object.name }, data: { mode: 'auto' } }])),
    object,
  );
  assert.match(`${held.status} ${held.message}`, /^ok .* allows auto$/);
});

test('no Secret is ever asked for', async () => {
  const asked = new Set<string>();
  await checkReads(
    cluster(({ resource }) => {
      asked.add(resource);
      return true;
    }),
  );
  assert.ok(asked.size > 5 && !asked.has('secrets'));
});

test('the first admin’s way in is told, and the right that it needs', async () => {
  const config = (raw: unknown) => {
    const parsed = parseConfig(raw, {});
    return parsed.kind === 'ok' ? parsed.config : assert.fail(JSON.stringify(parsed.problems));
  };
  const open = { host: '0.0.0.0', publicUrl: 'https://hephaisto.example' };
  const group = { tokenReview: { adminGroup: 'sre' } };
  assert.equal(
    (
      await checkFirstAdmin(
        cluster(() => true),
        config({}),
      )
    ).status,
    'ok',
  );
  assert.equal(
    (
      await checkFirstAdmin(
        cluster(() => true),
        config({ server: open }),
      )
    ).status,
    'off',
  );
  assert.equal(
    (
      await checkFirstAdmin(
        cluster(() => true),
        config({ server: open, auth: group }),
      )
    ).status,
    'ok',
  );
  const lacking = await checkFirstAdmin(
    cluster(() => false),
    config({ server: open, auth: group }),
  );
  assert.match(
    lacking.remedy ?? '',
    /apiGroups: \["authentication\.k8s\.io"\], resources: \["tokenreviews"\], verbs: \["create"\]/,
  );
});
