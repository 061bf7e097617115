import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { windowAt } from './maintenance.ts';
import { matchesNamespace, parsePolicy, ruleFor, ruleMode } from './policy-file.ts';

function problemsOf(data: unknown): readonly string[] {
  const parsed = parsePolicy(data);
  return parsed.kind === 'refused' ? parsed.problems.map(({ path }) => path) : [];
}

function policyOf(data: unknown) {
  const parsed = parsePolicy(data);
  assert.equal(parsed.kind, 'policy', JSON.stringify(parsed));
  return parsed.kind === 'policy' ? parsed : assert.fail();
}

describe('policy file', () => {
  it('without a rule it allows nothing and has the documented defaults', () => {
    const { policy } = policyOf({ version: 1 });
    assert.equal(ruleFor(policy, 'shop'), undefined);
    assert.deepEqual(policy.verification.times, [60_000, 300_000, 900_000]);
    assert.deepEqual(policy.budgets, { perHour: 10, perDay: 30, perNamespaceHour: 3 });
    assert.equal(policy.approvalTimeout, 3_600_000);
  });

  it('says where a key is unknown, a type wrong, a value senseless', () => {
    assert.deepEqual(problemsOf({ version: 1, namespaces: [{ match: 'shop', coolDown: '1m' }] }), [
      'namespaces.0.coolDown',
    ]);
    assert.deepEqual(problemsOf({ version: 2 }), ['version']);
    assert.deepEqual(problemsOf({ version: 1, namespaces: [{ match: 'shop', podAge: 120 }] }), ['namespaces.0.podAge']);
    assert.deepEqual(problemsOf({ version: 1, namespaces: [{ match: '*' }] }), ['namespaces.0.match']);
    assert.deepEqual(problemsOf({ version: 1, namespaces: [{ match: 'a', kinds: ['RunShell'] }] }), [
      'namespaces.0.kinds.0',
    ]);
    assert.deepEqual(problemsOf({ version: 1, verification: { times: ['5m', '1m', '9m'] } }), ['verification.times']);
    assert.deepEqual(problemsOf({ version: 1, namespaces: [{ match: 'a', bounds: { memory: { max: 'lots' } } }] }), [
      'namespaces.0.bounds.memory.max',
    ]);
    assert.deepEqual(problemsOf('mode: auto'), ['']);
  });

  it('has one canonical text whatever the order of keys and the spelling of defaults', () => {
    const a = policyOf({ version: 1, namespaces: [{ match: 'shop', kinds: ['RestartPod'], podAge: '2m' }] });
    const b = policyOf({ namespaces: [{ podAge: '120s', kinds: ['RestartPod'], match: 'shop' }], version: 1 });
    assert.equal(a.canonical, b.canonical);
    assert.notEqual(a.canonical, policyOf({ version: 1, namespaces: [{ match: 'shop', kinds: [] }] }).canonical);
  });

  it('takes the first rule that matches, and the lower of rule and kind mode', () => {
    const { policy } = policyOf({
      version: 1,
      namespaces: [
        { match: 'shop-two-*', quorum: 2 },
        { match: 'shop-*', mode: 'auto', kindModes: { ScaleWorkload: 'dryrun' } },
      ],
    });
    assert.equal(ruleFor(policy, 'shop-two-1')?.quorum, 2);
    const rule = ruleFor(policy, 'shop-a') ?? assert.fail();
    assert.deepEqual([ruleMode(rule, 'ScaleWorkload'), ruleMode(rule, 'RestartPod')], ['dryrun', 'auto']);
    assert.equal(matchesNamespace('shop-*', 'shop'), false);
  });

  it('knows when a window is open, across a change of the clocks', () => {
    const { policy } = policyOf({
      version: 1,
      maintenance: [
        {
          kind: 'once',
          name: 'move',
          namespaces: ['shop'],
          from: '2026-05-01T10:00:00+02:00',
          to: '2026-05-01T12:00:00+02:00',
        },
        {
          kind: 'weekly',
          name: 'sunday',
          namespaces: ['*'],
          days: ['sun'],
          from: '01:30',
          lasts: '3h',
          zone: 'Europe/Berlin',
        },
      ],
    });
    const at = (text: string, namespace = 'shop') => windowAt(policy.maintenance, namespace, new Date(text));
    assert.equal(at('2026-05-01T08:00:00Z'), 'move');
    assert.equal(at('2026-05-01T10:00:00Z'), undefined);
    assert.equal(at('2026-05-01T08:00:00Z', 'other'), undefined);
    // 29 March 2026, 02:00 becomes 03:00 in Berlin: the window runs from 00:30 to 03:30 UTC.
    assert.equal(at('2026-03-29T00:29:00Z'), undefined);
    assert.equal(at('2026-03-29T00:30:00Z'), 'sunday');
    assert.equal(at('2026-03-29T03:29:00Z'), 'sunday');
    assert.equal(at('2026-03-29T03:30:00Z'), undefined);
  });

  it('fewest replicas above most replicas are refused, since no count fits both', () => {
    const parsed = parsePolicy({
      version: 1,
      namespaces: [{ match: 'shop', bounds: { replicas: { min: 5, max: 2 } } }],
    });
    assert.deepEqual(parsed.kind === 'refused' && parsed.problems.map(({ path }) => path), [
      'namespaces.0.bounds.replicas.min',
    ]);
  });
});
