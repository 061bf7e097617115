import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { joinBasePath } from './base-path.ts';

describe('an address below a base address', () => {
  const CASES: Readonly<Record<string, readonly [base: string, path: string, address: string]>> = {
    'a server at the root': ['http://am:9093', '/api/v2/alerts', 'http://am:9093/api/v2/alerts'],
    'a server behind a prefix': ['http://am/alertmanager', '/api/v2/alerts', 'http://am/alertmanager/api/v2/alerts'],
    'a prefix that ends with a slash': [
      'http://am/alertmanager/',
      'api/v2/alerts',
      'http://am/alertmanager/api/v2/alerts',
    ],
    'a cluster behind Rancher': [
      'https://rancher/k8s/clusters/c-m-1',
      '/api/v1/pods',
      'https://rancher/k8s/clusters/c-m-1/api/v1/pods',
    ],
    'a path with a query': [
      'https://h/sre',
      '/api/v1/incidents?state=open&q=a%26b',
      'https://h/sre/api/v1/incidents?state=open&q=a%26b',
    ],
    'a base with a query of its own': ['https://h/m?tenant=7', '/query?q=up', 'https://h/m/query?tenant=7&q=up'],
  };
  for (const [name, [base, path, address]] of Object.entries(CASES)) {
    it(`${name} is reached where it is`, () => assert.equal(joinBasePath(base, path).href, address));
  }

  it('always keeps the prefix of the base', () => {
    const segment = fc.stringMatching(/^[a-z0-9-]{1,8}$/);
    fc.assert(
      fc.property(fc.array(segment), fc.array(segment, { minLength: 1 }), fc.boolean(), (prefix, path, slash) => {
        const base = ['https://host', ...prefix].join('/') + (slash ? '/' : '');
        assert.equal(joinBasePath(base, `/${path.join('/')}`).pathname, `/${[...prefix, ...path].join('/')}`);
      }),
    );
  });
});
