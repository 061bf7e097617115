import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringify } from 'yaml';
import { clusterAccess } from './kubeconfig.ts';
import { DEPLOYMENTS, NODES, PODS, resourceOf, resourcePath } from './resource.ts';

const CONFIG = {
  'current-context': 'here',
  contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
  clusters: [
    {
      name: 'c',
      cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': Buffer.from('PEM').toString('base64') },
    },
  ],
  users: [{ name: 'u', user: { token: 't' } }],
};

test('the current context gives server, authority and token', () => {
  assert.deepEqual(clusterAccess(stringify(CONFIG)), {
    server: 'https://127.0.0.1:1',
    certificateAuthority: 'PEM',
    token: 't',
  });
});

test('a context that names nothing is refused by name', () => {
  assert.throws(() => clusterAccess(stringify({ ...CONFIG, users: [] })), /expected a user named `u`/);
});

test('paths follow group, namespace, name and subresource', () => {
  assert.equal(resourcePath(PODS, 'a', 'b', 'status'), '/api/v1/namespaces/a/pods/b/status');
  assert.equal(resourcePath(DEPLOYMENTS, 'a'), '/apis/apps/v1/namespaces/a/deployments');
  assert.equal(resourcePath(NODES, undefined, 'n'), '/api/v1/nodes/n');
  assert.equal(resourceOf({ apiVersion: 'apps/v1', kind: 'Deployment' }).resource, 'deployments');
  assert.throws(() => resourceOf({ apiVersion: 'apps/v1', kind: 'Pod' }), /expected a kind that stories use/);
});
