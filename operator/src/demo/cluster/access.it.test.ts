import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  DEPLOYMENT_PATH,
  deploymentManifest,
  POD_PATH,
  podManifest,
  type RawClient,
  withCluster,
} from './testing/raw-client.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const SSAR = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

async function grant(
  client: RawClient,
  name: string,
  rules: readonly object[],
  subject: object,
  namespace?: string,
): Promise<void> {
  const scope = namespace ? `${RBAC}/namespaces/${namespace}` : RBAC;
  const [role, binding] = namespace ? ['Role', 'RoleBinding'] : ['ClusterRole', 'ClusterRoleBinding'];
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await client.post(`${scope}/${role.toLowerCase()}s`, { kind: role, apiVersion, metadata: { name }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: role, name };
  const made = await client.post(`${scope}/${binding.toLowerCase()}s`, {
    kind: binding,
    apiVersion,
    metadata: { name },
    roleRef,
    subjects: [subject],
  });
  assert.equal(made.status, 201);
}

const rule = (apiGroups: string[], resources: string[], verbs: string[], resourceNames?: string[]) => ({
  apiGroups,
  resources,
  verbs,
  ...(resourceNames ? { resourceNames } : {}),
});
const USER = { kind: 'User', name: 'ann' };

describe('access to the simulated cluster', () => {
  it('knows nobody without a token and refuses one it did not give', () =>
    withCluster(async (client, cluster) => {
      assert.equal((await client.get('/version', { token: null })).status, 200);
      const anonymous = await client.get(POD_PATH, { token: null });
      assert.equal(
        anonymous.body.message,
        'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" in the namespace "shop"',
      );
      const wrong = await client.get(POD_PATH, { token: 'made-up' });
      assert.deepEqual([wrong.status, wrong.body.reason], [401, 'Unauthorized']);
      assert.equal((await client.get(POD_PATH, { token: cluster.mintToken({ username: 'x' }, -1) })).status, 401);
    }));

  const refusals: Readonly<Record<string, readonly [method: string, path: string, message: string]>> = {
    'a named object': [
      'GET',
      `${POD_PATH}/a`,
      'pods "a" is forbidden: User "ann" cannot get resource "pods" in API group "" in the namespace "shop"',
    ],
    'all namespaces': [
      'GET',
      '/apis/apps/v1/deployments',
      'deployments.apps is forbidden: User "ann" cannot list resource "deployments" in API group "apps" at the cluster scope',
    ],
    'a subresource': [
      'GET',
      `${POD_PATH}/a/log`,
      'pods "a" is forbidden: User "ann" cannot get resource "pods/log" in API group "" in the namespace "shop"',
    ],
    'a path': ['GET', '/metrics', 'forbidden: User "ann" cannot get path "/metrics"'],
    'a delete': [
      'DELETE',
      `${POD_PATH}/a`,
      'pods "a" is forbidden: User "ann" cannot delete resource "pods" in API group "" in the namespace "shop"',
    ],
  };
  for (const [sentence, [method, path, message]] of Object.entries(refusals)) {
    it(`refuses ${sentence} in the API server's words`, () =>
      withCluster(async (client, cluster) => {
        const { status, body } = await client.ask(method, path, { token: cluster.mintToken({ username: 'ann' }) });
        assert.deepEqual([status, body.reason, body.message], [403, 'Forbidden', message]);
      }));
  }

  it('allows what roles grant, where they grant it, from the next request on', () =>
    withCluster(async (client, cluster) => {
      const token = cluster.mintToken({ username: 'ann', groups: ['dev'] });
      await client.post(POD_PATH, podManifest('a'));
      assert.equal((await client.get(POD_PATH, { token })).status, 403);
      await grant(client, 'read', [rule([''], ['pods'], ['get', 'list'])], { kind: 'Group', name: 'dev' }, 'shop');
      assert.equal((await client.get(POD_PATH, { token })).status, 200);
      assert.equal((await client.get('/api/v1/namespaces/default/pods', { token })).status, 403);
      assert.equal((await client.get('/api/v1/pods', { token })).status, 403);
      assert.equal((await client.get(`${POD_PATH}?watch=1`, { token })).status, 403);
      await client.delete(`${RBAC}/namespaces/shop/rolebindings/read`);
      assert.equal((await client.get(POD_PATH, { token })).status, 403);
    }));

  it('holds to resource names and subresources', () =>
    withCluster(async (client, cluster) => {
      const token = cluster.mintToken({ username: 'ann' });
      await client.post(DEPLOYMENT_PATH, deploymentManifest('web'));
      await client.post(DEPLOYMENT_PATH, deploymentManifest('api'));
      await grant(
        client,
        'one',
        [rule(['apps'], ['deployments'], ['get', 'list'], ['web']), rule(['*'], ['*/scale'], ['*'])],
        USER,
      );
      const status = async (path: string) => (await client.get(DEPLOYMENT_PATH + path, { token })).status;
      assert.deepEqual(
        [
          await status('/web'),
          await status('/api'),
          await status('/api/scale'),
          await status(''),
          await status('?fieldSelector=metadata.name=web'),
        ],
        [200, 403, 200, 403, 200],
      );
    }));

  it('gathers aggregated roles and names a role that is bound and missing', () =>
    withCluster(async (client, cluster) => {
      const token = cluster.mintToken({ username: 'ann' });
      const bind = (name: string, role: string) =>
        client.post(`${RBAC}/clusterrolebindings`, {
          kind: 'ClusterRoleBinding',
          apiVersion: 'rbac.authorization.k8s.io/v1',
          metadata: { name },
          roleRef: { kind: 'ClusterRole', name: role },
          subjects: [USER],
        });
      await bind('ghost', 'ghost');
      const refused = await client.get(POD_PATH, { token });
      assert.match(refused.body.message, /: RBAC: clusterrole.rbac.authorization.k8s.io "ghost" not found$/);
      await bind('viewer', 'view');
      assert.equal((await client.get(POD_PATH, { token })).status, 200);
      assert.equal((await client.get('/api/v1/namespaces/shop/secrets', { token })).status, 403);
      assert.equal((await client.delete(`${POD_PATH}/a`, undefined, { token })).status, 403);
    }));

  it('answers access reviews as it would decide', () =>
    withCluster(async (client, cluster) => {
      const token = cluster.mintToken({ username: 'ann' });
      await grant(client, 'evict', [rule([''], ['pods/eviction'], ['create'])], USER, 'shop');
      const ask = async (resourceAttributes: object) =>
        (
          await client.post(
            SSAR,
            { kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', spec: { resourceAttributes } },
            { token },
          )
        ).body.status;
      const eviction = { verb: 'create', resource: 'pods', subresource: 'eviction', namespace: 'shop' };
      assert.equal((await ask(eviction)).allowed, true);
      assert.match(
        (await ask(eviction)).reason,
        /RBAC: allowed by RoleBinding "evict\/shop" of Role "evict" to User "ann"/,
      );
      assert.equal((await ask({ ...eviction, namespace: '' })).allowed, false);
      assert.equal((await ask({ ...eviction, subresource: '' })).allowed, false);
      const rules = await client.post(
        '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
        { spec: { namespace: 'shop' } },
        { token },
      );
      assert.ok(
        rules.body.status.resourceRules.some((each: { resources: string[] }) => each.resources[0] === 'pods/eviction'),
      );
      const other = { spec: { user: 'ann', resourceAttributes: eviction } };
      assert.equal(
        (await client.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', other, { token })).status,
        403,
      );
      assert.equal(
        (await client.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', other)).body.status.allowed,
        true,
      );
    }));

  it('gives service accounts tokens that tell who they are, expire, and die with the account', () =>
    withCluster(async (client) => {
      const accounts = '/api/v1/namespaces/shop/serviceaccounts';
      await client.post(accounts, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'bot' } });
      const issued = await client.post(`${accounts}/bot/token`, {
        kind: 'TokenRequest',
        apiVersion: 'authentication.k8s.io/v1',
        spec: { expirationSeconds: 900 },
      });
      const { token, expirationTimestamp } = issued.body.status;
      assert.ok(Date.parse(expirationTimestamp) > Date.now() + 800_000);
      const review = () => client.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
      const { status } = (await review()).body;
      assert.deepEqual([status.authenticated, status.user.username], [true, 'system:serviceaccount:shop:bot']);
      assert.ok(status.user.groups.includes('system:serviceaccounts:shop'));
      await grant(client, 'bot', [rule([''], ['pods'], ['list'])], {
        kind: 'ServiceAccount',
        name: 'bot',
        namespace: 'shop',
      });
      assert.equal((await client.get('/api/v1/pods', { token })).status, 200);
      await client.delete(`${accounts}/bot`);
      assert.equal((await client.get('/api/v1/pods', { token })).status, 401);
      assert.equal((await review()).body.status.authenticated, undefined);
    }));

  it('lets only those speak for others who may', () =>
    withCluster(async (client, cluster) => {
      const headers = { 'impersonate-user': 'ann' };
      assert.match((await client.get(POD_PATH, { headers })).body.message, /User "ann" cannot list/);
      const token = cluster.mintToken({ username: 'bob' });
      assert.match(
        (await client.get(POD_PATH, { headers, token })).body.message,
        /User "bob" cannot impersonate resource "users"/,
      );
    }));
});
