import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { stringify } from 'yaml';
import { type Access, libraryAccess } from './access.ts';
import { plainAccess, podAccess } from './plain-access.ts';

const folder = mkdtempSync(join(tmpdir(), 'hephaisto-plain-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'config');
mkdirSync(join(folder, 'keys'));
for (const name of ['ca.crt', 'keys/client.crt', 'keys/client.key'])
  writeFileSync(join(folder, name), `bytes of ${name}`);
writeFileSync(join(folder, 'token'), 'from-a-file\n');

const data = (text: string) => Buffer.from(text).toString('base64');
const SERVER = { server: 'https://127.0.0.1:6443' };

function kubeconfig(cluster: object, user: object | null): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [
      { name: 'elsewhere', context: { cluster: 'none', user: 'nobody' } },
      { name: 'here', context: { cluster: 'c', user: 'u', namespace: 'shop' } },
    ],
    clusters: [{ name: 'c', cluster }],
    users: [
      { name: 'other', user: { exec: { command: 'login' } } },
      { name: 'u', user },
    ],
  });
}

async function worn(access: Access) {
  const { tls, headers, auth, proxied } = await access.dress();
  const { agent: _ofTheLibrary, headers: _given, ...rest } = tls;
  return { server: access.server, tls: rest, headers, auth, proxied };
}

describe('a kubeconfig that needs no library', () => {
  const PLAIN: Readonly<Record<string, readonly [cluster: object, user: object]>> = {
    'a token': [{ ...SERVER, 'certificate-authority-data': data('ca') }, { token: 't' }],
    'a token in a file beside it': [SERVER, { tokenFile: 'token' }],
    'a token in a file before one beside it': [SERVER, { token: 'old', tokenFile: join(folder, 'token') }],
    'certificates in it': [SERVER, { 'client-certificate-data': data('cert'), 'client-key-data': data('key') }],
    'certificates in files beside it': [
      { server: 'https://api.example/', 'certificate-authority': 'ca.crt' },
      { 'client-certificate': 'keys/client.crt', 'client-key': join(folder, 'keys/client.key') },
    ],
    'a file before what is in it': [
      { ...SERVER, 'certificate-authority': 'ca.crt', 'certificate-authority-data': data('ca') },
      { token: 't' },
    ],
    'another name in the certificate': [{ ...SERVER, 'tls-server-name': 'kubernetes' }, { token: 't' }],
    'no verification': [{ ...SERVER, 'insecure-skip-tls-verify': true }, { token: 't' }],
    'what tools note beside it': [{ ...SERVER, extensions: [{ name: 'x', extension: {} }] }, { token: 't' }],
    'nobody in particular': [SERVER, {}],
  };
  for (const [name, [cluster, user]] of Object.entries(PLAIN)) {
    it(`${name}: the request wears what the library would put on it`, async () => {
      const text = kubeconfig(cluster, user);
      const plain = plainAccess(text, { path, context: undefined });
      assert.ok(plain);
      writeFileSync(path, text);
      assert.deepEqual(await worn(plain), await worn(await libraryAccess({ kubeconfigPath: path }, text, path)));
    });
  }

  const LEFT_TO_THE_LIBRARY: Readonly<Record<string, readonly [cluster: object, user: object | null]>> = {
    'a helper program': [SERVER, { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'login' } }],
    'a login of a provider': [SERVER, { 'auth-provider': { name: 'oidc' } }],
    'a password': [SERVER, { username: 'u', password: 'p' }],
    'speaking as somebody else': [SERVER, { token: 't', as: 'ada' }],
    'a proxy': [{ ...SERVER, 'proxy-url': 'http://proxy:3128' }, { token: 't' }],
    'no TLS': [{ server: 'http://127.0.0.1:8080' }, { token: 't' }],
    'no server': [{}, { token: 't' }],
    'no user': [SERVER, null],
    'a token that is a number': [SERVER, { token: 7 }],
  };
  for (const [name, [cluster, user]] of Object.entries(LEFT_TO_THE_LIBRARY)) {
    it(`${name} is left to the library`, () =>
      assert.equal(plainAccess(kubeconfig(cluster, user), { path, context: undefined }), undefined));
  }

  it('another context than the current one, and one that does not exist', () => {
    const text = kubeconfig(SERVER, { token: 't' }).replace('current-context: here', 'current-context: elsewhere');
    assert.equal(plainAccess(text, { path, context: undefined }), undefined);
    assert.equal(plainAccess(text, { path, context: 'here' })?.server, SERVER.server);
    assert.equal(plainAccess(text, { path, context: 'nowhere' }), undefined);
  });

  it('what is no YAML is left to the library', () =>
    assert.equal(plainAccess('a: [', { path, context: undefined }), undefined));
});

describe('the account that a pod runs as', () => {
  it('is read from its files for each request', async () => {
    const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const access = podAccess(environment, folder);
    assert.ok(access);
    assert.equal(access.server, 'https://[fd00::1]:443');
    assert.equal((await access.dress()).headers.authorization, 'Bearer from-a-file');
    writeFileSync(join(folder, 'token'), 'renewed');
    const { headers, tls } = await access.dress();
    assert.deepEqual([headers.authorization, String(tls.ca)], ['Bearer renewed', 'bytes of ca.crt']);
    writeFileSync(join(folder, 'token'), 'from-a-file\n');
  });

  for (const environment of [{}, { KUBERNETES_SERVICE_HOST: 'h', KUBERNETES_SERVICE_PORT: '8080' }])
    it(`with ${JSON.stringify(environment)} is left to the library`, () =>
      assert.equal(podAccess(environment), undefined));
});
