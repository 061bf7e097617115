import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromAudit, uncovered } from '../contract/coverage.ts';

const KNOWN = { verb: 'get', group: 'apps', resource: 'deployments', subresource: '', status: 200 };

describe('requests that no case of the contract covers', () => {
  it('are none among those that a case has compared', () => {
    const patchType = 'application/json-patch+json; charset=utf-8';
    assert.deepEqual(uncovered([KNOWN, { ...KNOWN, verb: 'patch', patchType }]), []);
  });

  it('are named once each, by verb, type, subresource, patch type and status', () => {
    const teapot = { ...KNOWN, status: 418 };
    const merge = { ...KNOWN, verb: 'patch', subresource: 'status', patchType: 'application/merge-patch+json' };
    assert.deepEqual(uncovered([teapot, teapot, merge]), [
      'get deployments.apps 418',
      'patch deployments.apps/status application/merge-patch+json 200',
    ]);
  });

  it('are not those that a fault put in on purpose answered, nor what no resource was asked for', () => {
    const injected = [0, 429, 500, 503].map((status) => ({ ...KNOWN, resource: 'unicorns', status }));
    assert.deepEqual(uncovered([...injected, { ...KNOWN, resource: '' }]), []);
  });

  it('include a refused eviction, which no fault gives', () => {
    assert.deepEqual(uncovered([{ ...KNOWN, resource: 'unicorns', subresource: 'eviction', status: 429 }]), [
      'get unicorns.apps/eviction 429',
    ]);
  });

  it('leave to one case what is answered alike whatever is asked for', () => {
    const alike = [401, 403].map((status) => ({ ...KNOWN, resource: 'unicorns', status }));
    assert.deepEqual(uncovered([...alike, { ...KNOWN, verb: 'watch', resource: 'unicorns', status: 410 }]), [
      'watch * 410',
    ]);
  });

  it('are read from the log of a real API server', () => {
    const line = (verb: string, resource: string, code: number) =>
      JSON.stringify({
        stage: 'ResponseComplete',
        verb,
        requestURI: '/',
        objectRef: { apiGroup: 'apps', resource },
        responseStatus: { code },
      });
    const asked = fromAudit(`${line('patch', 'deployments', 200)}\n${line('get', 'unicorns', 200)}\n`);
    assert.deepEqual(uncovered(asked), ['get unicorns.apps 200']);
  });

  it('are not what the parts of a real control plane ask each other', () => {
    const line = JSON.stringify({
      stage: 'ResponseComplete',
      verb: 'watch',
      requestURI: '/',
      userAgent: 'kube-scheduler/v1.36.3 (linux/amd64)',
      objectRef: { resource: 'unicorns' },
      responseStatus: { code: 200 },
    });
    assert.deepEqual(uncovered(fromAudit(line)), []);
  });
});
