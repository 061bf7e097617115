import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import fc from 'fast-check';
import { stripAnsi } from './ansi.ts';
import { createLogDigester, digestLog } from './log-digest.ts';
import { normaliseLine } from './normalise-line.ts';
import { isNotable } from './notable-windows.ts';
import { DIGEST_BYTES, renderLogDigest } from './render-digest.ts';
import { utf8Bytes } from './utf8.ts';

const render = (text: string): string => renderLogDigest('log', digestLog(text));

test('colours and leading times of every common form are gone, and stand only in first and last seen', () => {
  verifies('H3-37');
  const lines = [
    '2026-01-02T03:04:05.123456789Z \u001b[31merror one\u001b[0m',
    '2026-01-02 03:04:05,123 error two',
    '[2026-01-02 03:04:05] error three',
    'I0102 03:04:05.000001 error four',
    'Jan  2 03:04:05 error five',
    '02/Jan/2026:03:04:05 +0000 error six',
    '2026/01/02 03:04:05 error seven',
    '1767323045.123 error eight',
  ];
  const digest = digestLog(lines.join('\n'));
  assert.deepEqual(
    digest.tail.map(({ text }) => text),
    ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map((word) => `error ${word}`),
  );
  assert.equal(digest.firstSeen, '2026-01-02T03:04:05Z');
  const body = render(lines.join('\n')).split('\n').slice(1).join('\n');
  assert.doesNotMatch(body, /03:04:05|\[31m/);
  assert.equal(body.includes('\u001b'), false);
});

test('an operating system command and a lone escape leave nothing behind', () => {
  assert.equal(stripAnsi('a\u001b]0;title\u0007b\u001b[2Jc\u001bZd'), 'abcd');
});

test('lines that differ only in ids, addresses, durations, hex and integers are one cluster', () => {
  verifies('H3-38');
  const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 8, maxLength: 40 });
  const parts = fc.record({
    uuid: fc.uuid(),
    ip: fc.ipV4(),
    port: fc.nat(65_535),
    hex,
    int: fc.nat(),
    unit: fc.constantFrom('ms', 's', 'm', 'h', 'us', 'ns'),
    amount: fc.nat(100_000),
  });
  fc.assert(
    fc.property(fc.array(parts, { minLength: 2, maxLength: 30 }), (many) => {
      const lines = many.map(
        ({ uuid, ip, port, hex: id, int, unit, amount }) =>
          `request ${uuid} from ${ip}:${port} trace=${id} took ${amount}${unit} items ${int} total 1.${amount}s`,
      );
      assert.equal(new Set(lines.map(normaliseLine)).size, 1);
      assert.equal(digestLog(lines.join('\n')).clusters.length, 1);
    }),
  );
  assert.equal(normaliseLine('peer fe80::1ff:fe23:4567:890a is up'), normaliseLine('peer 2001:db8::1 is up'));
});

test('words stay what they are', () => {
  for (const line of ['added a feed to the cafe', 'std::vector facade', 'no such host', 'a dead bed']) {
    assert.equal(normaliseLine(line), line);
  }
});

test('clusters are counted exactly, the largest first, with an original line for each', () => {
  verifies('H3-39');
  const lines = [
    ...Array.from({ length: 900 }, (_, i) => `2026-01-01T00:00:${String(i % 60).padStart(2, '0')}Z served ${i}`),
    ...Array.from({ length: 90 }, (_, i) => `2026-01-01T00:01:00Z slow query ${i}ms`),
    ...Array.from({ length: 10 }, (_, i) => `2026-01-01T00:02:00Z flushed page ${i}`),
  ];
  const { clusters } = digestLog(lines.join('\n'));
  assert.deepEqual(
    clusters.map(({ count, exemplar }) => [count, exemplar]),
    [
      [900, 'served 0'],
      [90, 'slow query 0ms'],
      [10, 'flushed page 0'],
    ],
  );
  assert.equal(clusters[0]?.firstSeen, '2026-01-01T00:00:00Z');
  assert.equal(clusters[1]?.lastSeen, '2026-01-01T00:01:00Z');
});

test('the last forty lines stand as they were', () => {
  verifies('H3-40');
  const lines = Array.from({ length: 500 }, (_, i) => `line ${String.fromCharCode(97 + (i % 26))} with  spaces ${i}`);
  const text = render(lines.join('\n'));
  assert.ok(text.includes(lines.slice(-40).join('\n')));
  const wide = Array.from({ length: 50 }, (_, i) => `${i} ${'x'.repeat(400)}`);
  assert.match(render(wide.join('\n')), /of 50 lines omitted\]$/);
});

test('one line that names trouble in fifty thousand is kept with three neighbours on each side', () => {
  verifies('H3-41');
  const lines = Array.from({ length: 50_000 }, (_, i) => `ok ${String.fromCharCode(97 + (i % 26))}${i}`);
  lines[25_000] = 'worker 7: OOM while sorting';
  lines[25_002] = 'worker 7: connection refused';
  const text = render(lines.join('\n'));
  assert.ok(text.includes(lines.slice(24_997, 25_006).join('\n')), 'overlapping windows are one');
  assert.equal(text.split('worker 7: OOM').length, 2, 'shown once');
});

test('what counts as trouble', () => {
  for (const line of [
    'PANIC: x',
    'a FatalError',
    'NullPointerException',
    'OOMKilled',
    'Timeout',
    'permission denied',
    'Unauthorized',
  ]) {
    assert.equal(isNotable(line), true, line);
  }
  for (const line of ['the room is booming', 'all good', 'panick-free? no: pan ic']) {
    assert.equal(isNotable(line), line.includes('panic'), line);
  }
});

test('trouble is seen in every line of a pattern, in what looks like a time, and at the end of a very long line', () => {
  const padding = 'x '.repeat(2_500);
  const trouble = [
    ...Array.from({ length: 2 }, (_, i) => `2026-01-01T00:00:0${i}.123456789Z timeout of call ${i}`),
    '2026-01-01TO0:panicked-a-lot served 1',
    `served ${padding}and denied`,
  ];
  const quiet = ['2026-01-01T00:00:07.123456789Z served 2', `served ${padding}`, ...Array(10).fill('served')];
  const lines = trouble.flatMap((line) => [...quiet, line]);
  const kept = new Set(digestLog(lines.join('\n')).notable.map(({ number }) => number));
  for (const [index] of trouble.entries()) assert.ok(kept.has((index + 1) * (quiet.length + 1)), trouble[index]);
  assert.equal(kept.has(5), false);
});

test('a rare pattern is kept among fifty thousand frequent ones', () => {
  verifies('H3-41');
  const lines = Array.from({ length: 50_000 }, (_, i) => `timeout of call ${i}`);
  lines[20_000] = 'fatal: disk is full';
  assert.ok(render(lines.join('\n')).includes('fatal: disk is full'));
});

test('a huge log of nothing but trouble fits, says what was left out, and splits no character', () => {
  verifies('H3-42');
  const digester = createLogDigester();
  const chunk = Array.from({ length: 2_000 }, (_, i) => `timeout für Anfrage ${i} 🔥 nach 5 s`).join('\n');
  for (let i = 0; i < 200; i += 1) digester.push(`${chunk}\n`);
  const text = renderLogDigest('log', digester.finish());
  assert.ok(utf8Bytes(text) <= DIGEST_BYTES, `${utf8Bytes(text)} bytes`);
  assert.equal(text.isWellFormed(), true);
  assert.match(text, /^log: 400000 lines, \d+ bytes/);
  assert.match(text, /\[\d+ of 400000 lines omitted\]$/);
});

test('any log digests within the cap, and how it is cut into chunks changes nothing', () => {
  verifies('H3-42');
  const line = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom('timeout', 'panic: x', 'ok', 'OOM 1', '', '2026-01-01T00:00:00Z hello 1'),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (lines, size) => {
      const text = lines.join('\n').replaceAll('\u001b', '').replaceAll('\u009b', '');
      const whole = digestLog(text);
      const digester = createLogDigester();
      for (let i = 0; i < text.length; i += size) digester.push(text.slice(i, i + size));
      const parts = digester.finish();
      assert.deepEqual(parts.tail, whole.tail);
      assert.deepEqual(parts.clusters, whole.clusters);
      assert.equal(parts.lines, whole.lines);
      assert.ok(utf8Bytes(renderLogDigest('log', parts)) <= DIGEST_BYTES);
      const kept = new Set(parts.notable.map(({ number }) => number));
      for (const number of newPatterns(text.split('\n'))) assert.ok(kept.has(number), `line ${number}`);
    }),
    { numRuns: 200 },
  );
});

/** Numbers of the first lines, from 1, of each pattern that names trouble. */
function newPatterns(lines: readonly string[]): readonly number[] {
  const seen = new Set<string>();
  return lines.flatMap((line, index) => {
    const pattern = normaliseLine(line);
    if (!isNotable(line) || seen.has(pattern)) return [];
    seen.add(pattern);
    return [index + 1];
  });
}
