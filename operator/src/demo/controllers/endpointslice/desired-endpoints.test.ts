import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Service } from '../shape/workloads.ts';
import { aPod } from '../testing/samples.ts';
import { desiredSlices } from './desired-endpoints.ts';

function aService(spec: Service['spec'] = {}): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { selector: { app: 'web' }, ...spec },
  };
}

const IP = { ip: '10.0.0.1' };

describe('an endpoint', () => {
  const cases: readonly [string, Parameters<typeof aPod>[1], Service['spec'], boolean, boolean, boolean][] = [
    ['is ready with its pod', IP, {}, true, true, false],
    ['is not ready while its pod is not', { ...IP, ready: false }, {}, false, false, false],
    ['still serves while its pod terminates', { ...IP, deleted: true }, {}, false, true, true],
    [
      'is always ready where the service says so',
      { ...IP, ready: false },
      { publishNotReadyAddresses: true },
      true,
      false,
      false,
    ],
  ];
  for (const [name, sketch, spec, ready, serving, terminating] of cases)
    it(name, () => {
      const [slice] = desiredSlices(aService(spec), [aPod('web-1', sketch)]);
      assert.deepEqual(slice?.endpoints, [
        {
          addresses: ['10.0.0.1'],
          conditions: { ready, serving, terminating },
          nodeName: 'node-a',
          targetRef: { kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'web-1' },
        },
      ]);
    });
});

describe('a slice', () => {
  it('leaves out pods of others, without an address, and finished', () => {
    const pods = [aPod('a', { ...IP, labels: { app: 'db' } }), aPod('b'), aPod('c', { ...IP, phase: 'Failed' })];
    assert.deepEqual(desiredSlices(aService(), pods), [{ endpoints: null, ports: null }]);
  });

  it('names ports by the number in the pod, one slice for each set of numbers', () => {
    const service = aService({ ports: [{ name: 'http', port: 80, targetPort: 'web' }, { port: 9000 }] });
    const withPort = (name: string, containerPort: number) =>
      aPod(name, { ...IP, spec: { containers: [{ name: 'web', ports: [{ name: 'web', containerPort }] }] } });
    const slices = desiredSlices(service, [
      withPort('a', 8080),
      withPort('b', 8081),
      withPort('c', 8080),
      aPod('d', IP),
    ]);
    const seen = slices.map(({ ports, endpoints }) => [
      (ports ?? []).map(({ name, port }) => `${name}=${port}`),
      endpoints?.length,
    ]);
    assert.deepEqual(seen, [
      [['http=8080', '=9000'], 2],
      [['http=8081', '=9000'], 1],
      [['=9000'], 1],
    ]);
  });
});
