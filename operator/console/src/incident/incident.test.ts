import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ACTION_STATES } from '@hephaisto/core/action/machine';
import { stretchesOf } from './evidence-places.ts';
import { kubectlFor, promqlFor } from './kubectl.ts';
import { measure } from './measured.ts';
import { progressOf } from './progress.ts';
import { shortPath } from './short-path.ts';
import { type Entry, gathered } from './timeline-entries.ts';

describe('quotations in a text', () => {
  const joined = (text: string, excerpts: string[], chosen?: string) => stretchesOf(text, excerpts, chosen);
  it('lose no character of it', () => {
    const text = 'one two three two';
    assert.equal(
      joined(text, ['two', 'wo th'], 'two')
        .map((each) => each.text)
        .join(''),
      text,
    );
  });
  it('mark where each stands, the chosen one apart', () => {
    assert.deepEqual(joined('a BAD b WORSE', ['BAD', 'WORSE'], 'WORSE'), [
      { text: 'a ', quoted: 'no' },
      { text: 'BAD', quoted: 'yes' },
      { text: ' b ', quoted: 'no' },
      { text: 'WORSE', quoted: 'chosen' },
    ]);
  });
  it('are found whatever white space is between their words', () => {
    assert.deepEqual(joined('x a  (b)\n c', ['a (b) c'])[1], { text: 'a  (b)\n c', quoted: 'yes' });
  });
  it('mark nothing that the text does not hold', () => {
    assert.deepEqual(joined('abc', ['x', '']), [{ text: 'abc', quoted: 'no' }]);
  });
});

describe('lines of the timeline', () => {
  const entry = (key: string, lane: Entry['lane'], text: string, second: number): Entry => ({
    key,
    lane,
    text,
    at: `2026-11-30T10:00:0${second}Z`,
    tone: 'warn',
    detail: '',
    by: undefined,
  });
  it('tell a signal that comes again once, where it was first seen, and everything else as it came', () => {
    const lines = gathered([
      entry('s1', 'signals', 'BackOff on a', 1),
      entry('v1', 'acts', 'Approved', 2),
      entry('s2', 'signals', 'BackOff on a', 3),
      entry('s3', 'signals', 'BackOff on b', 4),
      entry('v2', 'acts', 'Approved', 5),
    ]);
    assert.deepEqual(
      lines.map(({ key, times, lastAt }) => [key, times, lastAt.slice(17, 19)]),
      [
        ['s1', 2, '03'],
        ['v1', 1, '02'],
        ['s3', 1, '04'],
        ['v2', 1, '05'],
      ],
    );
  });
});

describe('the command that reads the same', () => {
  const cases: readonly (readonly [string, Record<string, unknown>, string | undefined])[] = [
    [
      'get_logs',
      { namespace: 'shop', pod: 'web-1', container: 'app', previous: true },
      'kubectl logs web-1 -n shop -c app --tail=5000 --previous',
    ],
    [
      'get_workload',
      { kind: 'Deployment', namespace: 'shop', name: 'web' },
      'kubectl get deployment web -n shop -o yaml',
    ],
    ['get_pods', { namespace: 'shop', selector: { app: 'web' } }, 'kubectl get pods -n shop -l app=web -o wide'],
    ['get_nodes', {}, 'kubectl describe nodes'],
    ['ask_an_oracle', {}, undefined],
  ];
  for (const [tool, args, command] of cases) {
    it(`is ${command ?? 'none'} for ${tool}`, () => assert.equal(kubectlFor({ tool, args }), command));
  }
  it('is the query itself for a read of metrics, and for nothing else', () => {
    const args = { query: 'rate(http_requests_total[5m])' };
    assert.equal(promqlFor({ tool: 'query_metrics', args }), args.query);
    assert.equal(promqlFor({ tool: 'query_metrics_range', args: { ...args, minutes: 60 } }), args.query);
    assert.equal(promqlFor({ tool: 'get_pods', args }), undefined);
  });
  it('cannot be broken out of by a name', () => {
    assert.equal(
      kubectlFor({ tool: 'get_pod', args: { namespace: 'shop', name: "x'; rm -rf / #" } }),
      `kubectl get pod 'x'\\''; rm -rf / #' -n shop -o yaml`,
    );
  });
});

describe('progress of an action', () => {
  it('says of every state what it waits for, or that nobody has approved', () => {
    for (const state of ACTION_STATES) {
      const progress = progressOf(state);
      if (progress === undefined) continue;
      assert.equal(progress.steps.length, 5, state);
      assert.match(progress.says, /^[A-Z].*[^.]$/, state);
      const later = progress.steps.findIndex((step) => step.state === 'later');
      assert.ok(
        progress.steps.slice(later === -1 ? 5 : later).every((step) => step.state === 'later'),
        state,
      );
    }
  });
  it('never calls an unknown outcome failed', () => {
    assert.ok(progressOf('Unknown')?.steps.every((step) => step.state !== 'failed'));
  });
});

describe('the short form of a path', () => {
  it('keeps what tells fields apart', () => {
    assert.equal(shortPath('spec.template.spec.containers[app].env[DB].value'), 'containers[app].env[DB]');
    assert.equal(shortPath('spec.template.spec.containers[app].image'), 'containers[app].image');
    assert.equal(shortPath('spec.replicas'), 'spec.replicas');
  });
});

describe('the measured symptom', () => {
  const sample = (minute: number, ready: number, restarts: number) => ({
    at: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
    desired: 4,
    ready,
    restarts,
  });
  const incident = { actions: [], changes: [], firstSignalAt: '2026-01-01T00:00:30.000Z' };
  it('is absent where nothing was recorded', () => {
    assert.equal(measure({ ...incident, samples: [] }), undefined);
  });
  it('leaves out how the workload came up when it was installed', () => {
    const before = { ...sample(0, 0, 0), at: '2025-12-31T23:00:00.000Z' };
    assert.equal(measure({ ...incident, samples: [before, sample(0, 4, 0), sample(1, 3, 0)] })?.lowest.ready, 3);
  });
  it('counts restarts over a replacement of the pods', () => {
    const measured = measure({ ...incident, samples: [sample(3, 4, 2), sample(0, 4, 5), sample(1, 2, 9)] });
    assert.equal(measured?.restarts, 6);
    assert.equal(measured?.lowest.ready, 2);
    assert.equal(measured?.now.ready, 4);
  });
});
