import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeFailure, KubeRead } from '@hephaisto/core/ports/kube';
import type { KubeAnswer, KubeCall, KubeConnection } from './connection.ts';
import { createKubeReader } from './reader.ts';

type Answer = Readonly<Record<string, unknown>> | string | KubeFailure;

/** Answers from a function and keeps what was asked. */
function connectionOf(answer: (call: KubeCall) => Answer) {
  const calls: KubeCall[] = [];
  const connection: KubeConnection = {
    server: 'https://test',
    request(call): Promise<KubeRead<KubeAnswer>> {
      calls.push(call);
      const value = answer(call);
      if (typeof value === 'object' && value.kind === 'failure') return Promise.resolve(value as KubeFailure);
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return Promise.resolve({ kind: 'ok', value: { status: 200, headers: {}, text } });
    },
    stream: () => Promise.resolve({ kind: 'ok', value: 'ended' }),
    close: () => undefined,
  };
  return { connection, calls };
}

const named = (name: string) => ({ metadata: { name, namespace: 'shop', uid: name } });

test('a list is read page by page until there is no further page', async () => {
  const { connection, calls } = connectionOf(({ query }) =>
    query?.continue === undefined
      ? { items: [named('a')], metadata: { continue: 't1' } }
      : { items: [named('b')], metadata: {} },
  );
  const pods = await createKubeReader(connection).pods('shop', { app: 'x', tier: 'y' });
  assert.deepEqual(pods.kind === 'ok' && pods.value.map(({ name }) => name), ['a', 'b']);
  assert.deepEqual(
    calls.map(({ path, query }) => [path, query?.labelSelector, query?.continue]),
    [
      ['/api/v1/namespaces/shop/pods', 'app=x,tier=y', undefined],
      ['/api/v1/namespaces/shop/pods', 'app=x,tier=y', 't1'],
    ],
  );
});

test('a continue token that expired on the way starts the list again, once', async () => {
  let gone = 0;
  const { connection } = connectionOf(({ query }) => {
    if (query?.continue === undefined) return { items: [named('a')], metadata: { continue: 't1' } };
    gone += 1;
    return gone === 1 ? { kind: 'failure', reason: 'gone', message: 'too old' } : { items: [named('b')], metadata: {} };
  });
  const nodes = await createKubeReader(connection).nodes();
  assert.deepEqual(nodes.kind === 'ok' && nodes.value.map(({ name }) => name), ['a', 'b']);
});

test('a list beyond its bound is a failure that says so, not a shorter list', async () => {
  const { connection } = connectionOf(() => ({ items: [named('a'), named('b')], metadata: { continue: 'more' } }));
  const pods = await createKubeReader(connection, { maxItems: 5 }).pods('shop');
  assert.match(pods.kind === 'failure' ? pods.message : '', /at most 5 objects/);
});

const REFUSED: Readonly<Record<string, { answer: Answer; reason: string }>> = {
  'no JSON': { answer: '<html>', reason: 'malformed' },
  'a JSON array': { answer: '[]', reason: 'malformed' },
  'an object where a list was asked for': { answer: {}, reason: 'malformed' },
  'a refusal': { answer: { kind: 'failure', reason: 'forbidden', status: 403, message: 'no' }, reason: 'forbidden' },
};
for (const [sentence, { answer, reason }] of Object.entries(REFUSED)) {
  test(`answered with ${sentence}: a failure, never a throw`, async () => {
    const { connection } = connectionOf(() => answer);
    const read = await createKubeReader(connection).pods('shop');
    assert.equal(read.kind === 'failure' && read.reason, reason);
  });
}

test('no Secret is ever asked for, by whatever name', async () => {
  const { connection, calls } = connectionOf(() => ({}));
  const reader = createKubeReader(connection);
  for (const resource of ['secrets', 'Secrets', 'SECRETS', 'secrets/status']) {
    const read = await reader.object('v1', resource, 'shop', 'x');
    assert.equal(read.kind === 'failure' && read.reason, 'forbidden');
  }
  assert.deepEqual(calls, []);
});

test('names cannot leave their place in the path', async () => {
  const { connection, calls } = connectionOf(() => named('x'));
  await createKubeReader(connection).pod('../../kube-system', 'x/../../secrets');
  assert.equal(calls[0]?.path, '/api/v1/namespaces/..%2F..%2Fkube-system/pods/x%2F..%2F..%2Fsecrets');
});

test('history belongs to its owner, not to whoever bears the same labels', async () => {
  const set = (name: string, owner: string, revision: string) => ({
    metadata: {
      name,
      uid: name,
      annotations: { 'deployment.kubernetes.io/revision': revision },
      ownerReferences: [{ kind: 'Deployment', name: 'd', uid: owner, controller: true }],
    },
  });
  const { connection } = connectionOf(({ path }) =>
    path.endsWith('/deployments/d')
      ? {
          kind: 'Deployment',
          metadata: { name: 'd', namespace: 'shop', uid: 'mine' },
          spec: { selector: { matchLabels: { app: 'd' } } },
        }
      : { items: [set('r1', 'mine', '1'), set('x', 'theirs', '7'), set('r2', 'mine', '2')] },
  );
  const reader = createKubeReader(connection);
  const workload = await reader.workload('Deployment', 'shop', 'd');
  assert.ok(workload.kind === 'ok');
  const revisions = await reader.revisions(workload.value);
  assert.deepEqual(revisions.kind === 'ok' && revisions.value.map(({ revision }) => revision), [2, 1]);
});

test('a log is asked for with the bounds it may have', async () => {
  const { connection, calls } = connectionOf(() => 'line');
  const log = await createKubeReader(connection).logs('shop', 'p', 'c', {
    previous: true,
    tailLines: 10,
    limitBytes: 100,
  });
  assert.equal(log.kind === 'ok' && log.value, 'line');
  assert.deepEqual(calls[0]?.query, {
    container: 'c',
    previous: 'true',
    tailLines: '10',
    limitBytes: '100',
    timestamps: 'true',
  });
});
