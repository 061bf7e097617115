import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import { confineQuery } from './confine-query.ts';

const M = 'namespace!~"coder",exported_namespace!~"coder",kubernetes_namespace!~"coder"';

const CASES: Readonly<Record<string, readonly [string, string]>> = {
  'a bare metric': ['up', `up{${M}}`],
  'a metric with matchers': ['up{job="a"}', `up{${M},job="a"}`],
  'a metric with empty braces': ['up{}', `up{${M}}`],
  'braces without a metric': ['{__name__=~".+"}', `{${M},__name__=~".+"}`],
  'a range and an offset': ['rate(http_total[5m] offset 1h)', `rate(http_total{${M}}[5m] offset 1h)`],
  'a sum before its labels': ['sum by (namespace) (up)', `sum by (namespace) (up{${M}})`],
  'a sum after its labels': ['sum(up) without (pod)', `sum(up{${M}}) without (pod)`],
  'a join': ['a * on (pod) group_left (node) b{x="}"}', `a{${M}} * on (pod) group_left (node) b{${M},x="}"}`],
  'a comparison with a number': ['a > bool 1e3 and b < +Inf', `a{${M}} > bool 1e3 and b{${M}} < +Inf`],
  'a relabelling': [
    'label_replace(a, "namespace", "shop", "", "")',
    `label_replace(a{${M}}, "namespace", "shop", "", "")`,
  ],
  'a comment that hides nothing': ['a # {b}\n+ c', `a{${M}} # {b}\n+ c{${M}}`],
  'a metric named like a keyword of sums': ['count', `count{${M}}`],
  'what asks for the closed one': ['a{namespace="coder"}', `a{${M},namespace="coder"}`],
};
for (const [sentence, [query, expected]] of Object.entries(CASES)) {
  test(`every selector is confined: ${sentence}`, () => {
    verifies('H3-78');
    assert.deepEqual(confineQuery(query, ['coder']), { kind: 'confined', query: expected });
  });
}

test('names are taken as names, not as patterns', () => {
  const confined = confineQuery('up', ['a.b', 'c']);
  assert.match(confined.kind === 'confined' ? confined.query : '', /namespace!~"a\\\\\.b\|c"/);
});

test('with nothing closed a query stays as it is', () => {
  assert.deepEqual(confineQuery('anything "at all', []), { kind: 'confined', query: 'anything "at all' });
});

const REFUSED: Readonly<Record<string, readonly [string, string]>> = {
  'an open quote': ['up{a="b}', 'unreadable'],
  'an open brace': ['up{a="b"', 'unreadable'],
  'alternatives within braces': ['{namespace="coder" or a="b"}', 'alternatives'],
};
for (const [sentence, [query, reason]] of Object.entries(REFUSED)) {
  test(`what cannot be read whole is refused: ${sentence}`, () => {
    const confined = confineQuery(query, ['coder']);
    assert.equal(confined.kind === 'refused' && confined.reason, reason);
  });
}
