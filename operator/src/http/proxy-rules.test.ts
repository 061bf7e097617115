import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proxyFor } from './proxy-rules.ts';

const PROXIES = { http: 'http://plain:3128', https: 'http://secure:3128' };

describe('the proxy for an address', () => {
  it('is that of its scheme, and none where none is configured', () => {
    assert.equal(proxyFor(new URL('http://a.example'), PROXIES), PROXIES.http);
    assert.equal(proxyFor(new URL('https://a.example'), PROXIES), PROXIES.https);
    assert.equal(proxyFor(new URL('https://a.example'), { http: 'http://plain:3128' }), undefined);
  });

  const DIRECT: readonly (readonly [entry: string, address: string, isDirect: boolean])[] = [
    ['*', 'https://a.example', true],
    ['a.example', 'https://a.example', true],
    ['A.Example', 'https://a.example', true],
    ['a.example', 'https://b.a.example', true],
    ['.a.example', 'https://b.a.example', true],
    ['*.a.example', 'https://b.a.example', true],
    ['a.example', 'https://ba.example', false],
    ['a.example:443', 'https://a.example', true],
    ['a.example:8443', 'https://a.example', false],
    ['a.example:8443', 'https://a.example:8443', true],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.0.0.0/99', 'https://10.1.2.3', false],
    ['10.0.0.0/x', 'https://10.1.2.3', false],
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['2.3', 'https://10.1.2.3', false],
    ['fd00::/8', 'https://[fd00::1]', true],
    ['fd00::1', 'https://[fd00::1]', true],
    ['', 'https://a.example', false],
  ];
  for (const [entry, address, isDirect] of DIRECT)
    it(`\`${entry}\` makes ${address} ${isDirect ? 'direct' : 'proxied'}`, () => {
      const proxy = proxyFor(new URL(address), { ...PROXIES, direct: [entry] });
      assert.equal(proxy, isDirect ? undefined : PROXIES.https);
    });

  it('loopback is direct', () => {
    for (const host of ['localhost', '127.0.0.1', '127.8.8.8', '[::1]'])
      assert.equal(proxyFor(new URL(`http://${host}:9090`), PROXIES), undefined);
    assert.equal(proxyFor(new URL('http://127.example'), PROXIES), PROXIES.http);
  });
});
