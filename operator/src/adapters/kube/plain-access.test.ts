import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { plainAccess, podAccess } from './plain-access.ts';

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
}

function kubeconfig({ cluster = {}, user = { token: 'abc' }, context = {} }: Parts): string {
  return JSON.stringify({
    'current-context': 'one',
    contexts: [
      { name: 'one', context: { cluster: 'c', user: 'u', ...context } },
      { name: 'other', context: { cluster: 'elsewhere', user: 'u' } },
    ],
    clusters: [
      { name: 'c', cluster: { server: 'https://127.0.0.1:6443', ...cluster } },
      { name: 'elsewhere', cluster: { server: 'https://127.0.0.1:7443' } },
    ],
    users: [{ name: 'u', user }],
  });
}

const HERE = { path: undefined, context: undefined };
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('access by a kubeconfig whose every word is known', () => {
  const LIBRARY: Readonly<Record<string, string>> = {
    'a helper program': kubeconfig({ user: { exec: { command: 'aws' } } }),
    'a provider': kubeconfig({ user: { 'auth-provider': { name: 'oidc' } } }),
    'a name and a password': kubeconfig({ user: { username: 'a', password: 'b' } }),
    'somebody else’s place': kubeconfig({ user: { token: 'abc', as: 'root' } }),
    'a proxy': kubeconfig({ cluster: { 'proxy-url': 'http://127.0.0.1:1' } }),
    'a word that is not known': kubeconfig({ cluster: { unheard: true } }),
    'a context with more in it': kubeconfig({ context: { extensions: [] } }),
    'no text of that shape': '- 1',
    'no YAML': '{',
  };
  for (const [what, text] of Object.entries(LIBRARY))
    it(`leaves ${what} to the library`, () => assert.equal(plainAccess(text, HERE), undefined));

  it('leaves a context that is not there to the library, whose message names it', () => {
    assert.equal(plainAccess(kubeconfig({}), { ...HERE, context: 'nowhere' }), undefined);
  });

  it('wears the token and the authority that stand in it', async () => {
    const access = plainAccess(kubeconfig({ cluster: { 'certificate-authority-data': base64('CA') } }), HERE);
    const dress = await access?.dress();
    assert.equal(access?.server, 'https://127.0.0.1:6443');
    assert.deepEqual(dress?.headers, { authorization: 'Bearer abc' });
    assert.equal(String(dress?.tls.ca), 'CA');
    assert.equal(dress?.tls.rejectUnauthorized, true);
  });

  it('goes to the context that was asked for', () => {
    assert.equal(plainAccess(kubeconfig({}), { ...HERE, context: 'other' })?.server, 'https://127.0.0.1:7443');
  });

  it('wears a client certificate, another server name, and trusts blindly only when told', async () => {
    const text = kubeconfig({
      cluster: { 'insecure-skip-tls-verify': true, 'tls-server-name': 'api' },
      user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
    });
    const { tls, headers } = (await plainAccess(text, HERE)?.dress()) ?? {};
    assert.deepEqual([String(tls?.cert), String(tls?.key)], ['CERT', 'KEY']);
    assert.deepEqual([tls?.servername, tls?.rejectUnauthorized, headers], ['api', false, {}]);
  });

  it('reads files beside the kubeconfig anew for each request, and rejects when one is gone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hephaisto-access-'));
    try {
      writeFileSync(join(folder, 'token'), 'first\n');
      writeFileSync(join(folder, 'ca'), 'CA 1');
      const text = kubeconfig({ cluster: { 'certificate-authority': 'ca' }, user: { tokenFile: 'token' } });
      const access = plainAccess(text, { path: join(folder, 'kubeconfig'), context: undefined });
      const first = await access?.dress();
      writeFileSync(join(folder, 'token'), 'second\n');
      writeFileSync(join(folder, 'ca'), 'CA 2');
      const second = await access?.dress();
      assert.deepEqual([first?.headers.authorization, String(first?.tls.ca)], ['Bearer first', 'CA 1']);
      assert.deepEqual([second?.headers.authorization, String(second?.tls.ca)], ['Bearer second', 'CA 2']);
      rmSync(join(folder, 'token'));
      await assert.rejects(async () => access?.dress());
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('access as the account of a pod', () => {
  it('is where the platform says, with the token and the authority of the account', async () => {
    const account = mkdtempSync(join(tmpdir(), 'hephaisto-account-'));
    try {
      writeFileSync(join(account, 'token'), 'of the pod');
      writeFileSync(join(account, 'ca.crt'), 'CA');
      const access = podAccess({ KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' }, account);
      const dress = await access?.dress();
      assert.equal(access?.server, 'https://[fd00::1]:443');
      assert.deepEqual(dress?.headers, { authorization: 'Bearer of the pod' });
      assert.equal(String(dress?.tls.ca), 'CA');
    } finally {
      rmSync(account, { recursive: true, force: true });
    }
  });

  it('is none where nothing is said', () => {
    assert.equal(podAccess({}), undefined);
  });
});
