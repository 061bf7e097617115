import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Behaviour } from '../stories/behaviour.ts';
import { linesUntil } from './log-lines.ts';
import { logSource, parseLogQuery, renderLog } from './log-query.ts';
import { NOW, play, pod } from './pod.fixture.ts';

const LINES = [1, 2, 3, 4].map((second) => ({ at: NOW + second * 1000, text: `line ${second} ü` }));
const AT = NOW + 5_000;

function read(query: string): string {
  const parsed = parseLogQuery(new URLSearchParams(query));
  return parsed === undefined ? 'invalid' : renderLog(LINES, parsed, AT).toString('latin1');
}

const TABLE: readonly (readonly [string, string, string])[] = [
  ['the last lines', 'tailLines=1', 'line 4 Ã¼\n'],
  ['no lines when none are asked for', 'tailLines=0', ''],
  ['lines of the last seconds', 'sinceSeconds=2', 'line 3 Ã¼\nline 4 Ã¼\n'],
  ['bytes up to the limit, even in the middle of a character', 'tailLines=1&limitBytes=8', 'line 4 Ã'],
  [
    'timestamps with nanoseconds before each line',
    'tailLines=1&timestamps=true',
    '2026-11-30T12:00:04.000000000Z line 4 Ã¼\n',
  ],
  ['nothing for a count that is none', 'tailLines=-1', 'invalid'],
  ['nothing for two ways to say since when', 'sinceSeconds=2&sinceTime=2026-11-30T12:00:00Z', 'invalid'],
];

for (const [sentence, query, wanted] of TABLE) test(`logs give ${sentence}`, () => assert.equal(read(query), wanted));

const CRASH: Behaviour = {
  workload: 'app',
  when: { kind: 'always' },
  run: { log: [{ at: 1, text: '{time} {pod} {env.X} {unknown}' }], exit: { after: 2, code: 1, reason: 'Error' } },
};
const MISSING: Behaviour = { workload: 'app', when: { kind: 'always' }, run: { pullError: 'not found' } };

const REFUSALS: readonly (readonly [string, readonly Behaviour[], number, string, boolean, number, string])[] = [
  ['an unknown container', [], 5, 'web', false, 404, 'container "web" not found in pod "app-1"'],
  [
    'a pull that has just failed',
    [MISSING],
    1,
    'app',
    false,
    400,
    'container "app" in pod "app-1" is waiting to start: image can\'t be pulled',
  ],
  [
    'a pull that keeps failing',
    [MISSING],
    9,
    'app',
    false,
    400,
    'container "app" in pod "app-1" is waiting to start: trying and failing to pull image',
  ],
  [
    'a previous life that never was',
    [],
    5,
    'app',
    true,
    400,
    'previous terminated container "app" in pod "app-1" not found',
  ],
];

for (const [sentence, behaviours, seconds, name, previous, code, message] of REFUSALS) {
  test(`logs of ${sentence} are refused in the kubelet's words`, () => {
    const { record, now } = play(pod(), behaviours, seconds, { imagePresent: false });
    assert.deepEqual(logSource(pod(), record, name, previous, now, 1), { kind: 'error', code, message });
  });
}

test('previous is the life that lastState speaks of, both while it waits and while it runs again', () => {
  for (const seconds of [3.5, 8]) {
    const { record, now } = play(pod(), [CRASH], seconds);
    const source = logSource(pod(), record, 'app', true, now, 1);
    assert.equal(source.kind, 'life', `after ${seconds} s`);
    assert.notEqual(source.kind === 'life' && source.life.end, undefined);
  }
});

test('a line is filled in with what its process knew, and unknown names stay as they are', () => {
  const { record, now } = play(pod(), [CRASH], 1.5);
  const life = record.containers[0]?.life;
  assert.ok(life);
  assert.deepEqual(
    linesUntil(life, now, 1).map((line) => line.text),
    ['2026-11-30T12:00:01.000Z app-1 {env.X} {unknown}'],
  );
});

test('heartbeats come at their time, stop with the process, and old ones are let go', () => {
  const life = { id: 'x', startedAt: NOW, script: { heartbeat: { everySeconds: 10, text: 'beat' } }, names: {} };
  assert.equal(linesUntil(life, NOW + 35_000, 1).length, 3);
  assert.equal(
    linesUntil({ ...life, end: { at: NOW + 15_000, exitCode: 0, reason: 'Completed' } }, NOW + 60_000, 1).length,
    1,
  );
  assert.ok(linesUntil(life, NOW + 1e9, 1).length <= 2_001);
});
