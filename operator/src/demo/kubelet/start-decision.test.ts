import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '../stories/behaviour.ts';
import { type ContainerRecord, newContainer } from './container-record.ts';
import { container, NO_FACTS, pod } from './pod.fixture.ts';
import { decideStart, holds, memoryBytes, resolveEnv, type StartFacts } from './start-decision.ts';

const RECORD: ContainerRecord = { ...newContainer('app'), restartCount: 2, pulls: 1 };

function check(
  condition: Condition,
  over: { facts?: Partial<StartFacts>; env?: Record<string, string>; limit?: string } = {},
): boolean {
  const resources = over.limit === undefined ? {} : { resources: { limits: { memory: over.limit } } };
  return holds(condition, {
    container: container(resources),
    record: RECORD,
    env: over.env ?? {},
    facts: { ...NO_FACTS, ...over.facts },
  });
}

const ONCE: Condition = { kind: 'restarts-below', count: 1 };
const LIFE = { id: 'x', startedAt: 0, script: {}, names: {} };

test('condition: restarts-below 1 is for the first life only', () => {
  const first = newContainer('app');
  const situation = { container: container(), env: {}, facts: NO_FACTS };
  assert.equal(holds(ONCE, { ...situation, record: first }), true);
  assert.equal(holds(ONCE, { ...situation, record: { ...first, life: LIFE } }), false);
});

const TABLE: readonly (readonly [string, boolean, boolean])[] = [
  [
    'an environment value that matches',
    check({ kind: 'env', name: 'URL', matches: '^http' }, { env: { URL: 'http://x' } }),
    true,
  ],
  ['an environment value that is not set', check({ kind: 'env', name: 'URL', matches: '' }), false],
  ['an image by its tag', check({ kind: 'image', matches: ':1$' }), true],
  ['a limit below the need', check({ kind: 'memory-limit-below', mebibytes: 80 }, { limit: '64Mi' }), true],
  ['a limit that is enough', check({ kind: 'memory-limit-below', mebibytes: 80 }, { limit: '0.1Gi' }), false],
  ['no limit at all', check({ kind: 'memory-limit-below', mebibytes: 80 }), false],
  [
    'a marker left in the volume',
    check({ kind: 'marker', volume: 'v', marker: 'm' }, { facts: { markers: new Set(['v/m']) } }),
    true,
  ],
  [
    'a marker of another volume',
    check({ kind: 'marker', volume: 'v', marker: 'm' }, { facts: { markers: new Set(['w/m']) } }),
    false,
  ],
  [
    'a Service nobody is behind',
    check({ kind: 'service-without-endpoints', service: 'db' }, { facts: { readyEndpoints: { db: 0 } } }),
    true,
  ],
  [
    'a Service with one endpoint',
    check({ kind: 'service-without-endpoints', service: 'db' }, { facts: { readyEndpoints: { db: 1 } } }),
    false,
  ],
  ['the first pod', check({ kind: 'ordinal', equals: 0 }), true],
  ['a replacement', check({ kind: 'ordinal', equals: 0 }, { facts: { ordinal: 5 } }), false],
  ['fewer restarts than asked', check({ kind: 'restarts-below', count: 3 }), true],
  ['as many restarts as asked', check({ kind: 'restarts-below', count: 2 }), false],
  ['fewer pulls than asked', check({ kind: 'pulls-below', count: 2 }), true],
  ['the opposite of what holds', check({ kind: 'not', condition: { kind: 'always' } }), false],
  [
    'all of several, one of which fails',
    check({ kind: 'all', of: [{ kind: 'always' }, { kind: 'pulls-below', count: 1 }] }),
    false,
  ],
];

for (const [sentence, found, wanted] of TABLE) {
  test(`condition: ${sentence} ${wanted ? 'holds' : 'does not hold'}`, () => assert.equal(found, wanted));
}

const REFERENCES: readonly (readonly [string, Parameters<typeof container>[0], Partial<StartFacts>, string])[] = [
  [
    'a key that a Secret lacks',
    { env: [{ name: 'K', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
    { secrets: { s: {} } },
    "couldn't find key k in Secret shop/s",
  ],
  [
    'a Secret that does not exist',
    { env: [{ name: 'K', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
    {},
    'secret "s" not found',
  ],
  [
    'a key that a ConfigMap lacks',
    { env: [{ name: 'K', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }] },
    { configMaps: { c: {} } },
    "couldn't find key k in ConfigMap shop/c",
  ],
  [
    'a whole ConfigMap that does not exist',
    { envFrom: [{ configMapRef: { name: 'c' } }] },
    {},
    'configmap "c" not found',
  ],
];

for (const [sentence, spec, facts, error] of REFERENCES) {
  test(`environment: ${sentence} stops the start in the kubelet's words`, () => {
    const each = container(spec);
    const subject = pod({ containers: [each] });
    assert.deepEqual(resolveEnv(subject, each, { ...NO_FACTS, ...facts }), { error });
    assert.deepEqual(decideStart(subject, each, RECORD, [], { ...NO_FACTS, ...facts }), {
      kind: 'config-error',
      message: error,
    });
  });
}

test('environment: optional references and pod fields are filled in as far as they are there', () => {
  const each = container({
    envFrom: [{ prefix: 'P_', configMapRef: { name: 'c' } }],
    env: [
      { name: 'A', value: '1' },
      { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
      { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ],
  });
  const facts = { ...NO_FACTS, configMaps: { c: { x: 'y' } } };
  assert.deepEqual(resolveEnv(pod({ containers: [each] }), each, facts), { env: { P_x: 'y', A: '1', C: 'app-1' } });
});

test('the first behaviour that fits decides, and one of another workload never does', () => {
  const run = (text: string) => ({ log: [{ at: 0, text }] });
  const decided = decideStart(
    pod(),
    container(),
    RECORD,
    [
      { workload: 'other', when: { kind: 'always' }, run: run('other') },
      { workload: 'app', when: { kind: 'always' }, run: run('first') },
      { workload: 'app', when: { kind: 'always' }, run: run('second') },
    ],
    NO_FACTS,
  );
  assert.equal(decided.kind === 'start' && decided.script.log?.[0]?.text, 'first');
});

test('memory quantities are bytes, and nonsense is no number', () => {
  assert.deepEqual(['64Mi', '1Gi', '500k', '128'].map(memoryBytes), [67108864, 1073741824, 500000, 128]);
  assert.equal(Number.isNaN(memoryBytes('64MB')), true);
});
