import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { windowAt } from './maintenance.ts';
import { coversPattern, matchesNamespace, systemPatternOf } from './namespaces.ts';
import { parsePolicy, ruleFor, ruleMode } from './policy-file.ts';

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

  it('refuses a protected label that no object can carry, since it would protect nothing', () => {
    const labels = { tier: 'critical', 'example.com/owner': '', 'a.b-c/D_e.f': 'X' };
    policyOf({ version: 1, protectedLabels: labels });
    const bad = [
      { '': 'x' },
      { 'tier ': 'critical' },
      { 'Example.com/tier': 'x' },
      { 'a/b/c': 'x' },
      { [`${'a'.repeat(64)}`]: 'x' },
      { tier: 'very critical' },
      { tier: 'x'.repeat(64) },
    ];
    for (const protectedLabels of bad)
      assert.equal(problemsOf({ version: 1, protectedLabels }).length, 1, JSON.stringify(protectedLabels));
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

  it('refuses a rule that can never apply, since a wider one before it takes its namespaces', () => {
    const rules = (...matches: string[]) =>
      problemsOf({ version: 1, namespaces: matches.map((match) => ({ match, kinds: [] })) });
    assert.deepEqual(rules('shop-*', 'shop-two'), ['namespaces.1.match']);
    assert.deepEqual(rules('shop', 'shop'), ['namespaces.1.match']);
    assert.deepEqual(rules('shop-*', 'other', 'shop-two-*', 'shop-*'), ['namespaces.2.match', 'namespaces.3.match']);
    assert.deepEqual(rules('shop-two-*', 'shop-two', 'shop-*', 'shop'), []);
  });

  it('refuses a rule for a namespace in which nothing is ever changed', () => {
    const rules = [{ match: 'kube-system' }, { match: 'ops' }, { match: 'kube-*' }];
    assert.deepEqual(problemsOf({ version: 1, namespaces: rules, selfNamespaces: ['ops'] }), [
      'namespaces.0.match',
      'namespaces.1.match',
    ]);
  });

  it('takes names and no patterns for the namespaces that are never touched, and no other pattern than a prefix elsewhere', () => {
    const window = { kind: 'weekly', name: 'w', days: ['sun'], from: '01:00' };
    assert.deepEqual(problemsOf({ version: 1, selfNamespaces: ['ops-*'] }), ['selfNamespaces.0']);
    assert.deepEqual(problemsOf({ version: 1, maintenance: [{ ...window, namespaces: ['*-ops'] }] }), [
      'maintenance.0.namespaces.0',
    ]);
    assert.deepEqual(problemsOf({ version: 1, maintenance: [{ ...window, namespaces: ['*', 'shop-*', 'a'] }] }), []);
  });

  it('calls a rule covered exactly when each namespace of it is matched by the earlier one', () => {
    const names = fc.stringMatching(/^[ab][ab-]{0,3}[ab]$/);
    const patterns = fc.oneof(
      names,
      names.map((name) => `${name}*`),
    );
    fc.assert(
      fc.property(patterns, patterns, names, (wide, narrow, name) => {
        if (coversPattern(wide, narrow) && matchesNamespace(narrow, name)) assert.ok(matchesNamespace(wide, name));
        const sample = narrow.replace('*', 'z');
        assert.equal(coversPattern(wide, narrow), matchesNamespace(wide, sample));
      }),
    );
  });

  it('knows the usual system namespaces and takes no ordinary one for them', () => {
    const system = ['openshift-ingress', 'gke-managed', 'istio-system', 'cert-manager', 'kube-flannel', 'flux-system'];
    assert.ok(system.every((name) => systemPatternOf(name) !== undefined));
    assert.deepEqual(['shop', 'payments-eu', 'default', 'systems', 'openshop'].filter(systemPatternOf), []);
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
