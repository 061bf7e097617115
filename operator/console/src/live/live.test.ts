import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createFrameReader, type Frame } from './frames.ts';
import { judgeFreshness, type LineFacts, retryDelay } from './freshness.ts';
import { newest, newestOfEach, refreshRows } from './newest.ts';
import { NO_ROWS, settle, takeWaiting } from './settled-rows.ts';

const STREAM =
  'retry: 1000\n\nevent: ready\nid: 7-0\ndata: {}\n\n: alive\n\nevent: incident\nid: 8-3\ndata: {"a":"x: y"}\n\nevent: switch\ndata: {}\n\n';

describe('frames of the stream', () => {
  it('keep name, id and data, and show heartbeats as frames without a name', () => {
    assert.deepEqual(createFrameReader()(STREAM), [
      { name: 'ready', data: '{}', id: '7-0' },
      { name: '', data: '' },
      { name: 'incident', data: '{"a":"x: y"}', id: '8-3' },
      { name: 'switch', data: '{}' },
    ]);
  });
  it('come out the same in whatever pieces they arrive', () => {
    const whole = createFrameReader()(STREAM);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: STREAM.length }), { maxLength: 12 }), (cuts) => {
        const read = createFrameReader();
        const seen: Frame[] = [];
        let from = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), STREAM.length]) {
          seen.push(...read(STREAM.slice(from, cut)));
          from = cut;
        }
        assert.deepEqual(seen, whole);
      }),
    );
  });
});

describe('freshness', () => {
  const well: LineFacts = {
    now: 100_000,
    online: true,
    connected: true,
    lastContact: 99_000,
    reachable: true,
    failures: 0,
    oldSince: undefined,
  };
  const cases: Readonly<Record<string, readonly [Partial<LineFacts>, string, number | undefined]>> = {
    'an open line that spoke a second ago is live': [{}, 'live', 1],
    'an open line that has been silent too long is stale': [{ lastContact: 75_000 }, 'stale', 25],
    'a line that just dropped is still as fresh as it says': [{ connected: false, lastContact: 98_000 }, 'live', 2],
    'a line that stays down is stale': [{ connected: false, lastContact: 90_000 }, 'stale', 10],
    'a line that failed to open is stale at once': [{ connected: false, failures: 1 }, 'stale', 1],
    'a server that answers questions without a live line is stale, not away': [
      { connected: false, failures: 5 },
      'stale',
      1,
    ],
    'a server that does not answer either is away': [
      { connected: false, failures: 2, reachable: false },
      'offline',
      undefined,
    ],
    'a device without network is offline whatever the line says': [{ online: false }, 'offline', undefined],
    'a picture that could not be renewed makes the screen as old as it is': [{ oldSince: 60_000 }, 'stale', 40],
  };
  for (const [sentence, [facts, state, seconds]] of Object.entries(cases)) {
    it(sentence, () => {
      const judged = judgeFreshness({ ...well, ...facts });
      assert.equal(judged.state, state);
      assert.equal(judged.state === 'offline' ? undefined : judged.seconds, seconds);
    });
  }
  it('asks again soon at first, then at most every half minute or so', () => {
    assert.equal(retryDelay(0, 0.5), 250);
    assert.ok(retryDelay(1, 1) <= 1_500);
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 60 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, chance) => {
        const delay = retryDelay(failures, chance);
        assert.ok(delay >= 4_000 && delay < 36_001, String(delay));
      }),
    );
  });
});

describe('readings that overtake each other', () => {
  const row = (id: string, version: number) => ({ id, version });
  it('never bring an old state back', () => {
    assert.equal(newest(row('a', 3), row('a', 2)).version, 3);
    assert.equal(newest(row('a', 3), row('a', 4)).version, 4);
    assert.equal(newest(row('a', 9), row('b', 1)).id, 'b');
    assert.deepEqual(newestOfEach([row('a', 5)], [row('b', 1), row('a', 4)]), [row('b', 1), row('a', 5)]);
  });
  it('leave order and untouched pages as they are', () => {
    const pages = [{ items: [row('a', 1), row('b', 1)] }, { items: [row('c', 1)] }];
    const fresh = refreshRows(pages, [row('b', 2), row('c', 0), row('z', 9)]);
    assert.deepEqual(fresh[0]?.items, [row('a', 1), row('b', 2)]);
    assert.equal(fresh[1], pages[1]);
  });
});

describe('rows that arrive while somebody reads', () => {
  it('appear at once on an empty screen', () => {
    assert.deepEqual(settle(NO_ROWS, ['a', 'b']).shown, ['a', 'b']);
  });
  it('queue behind what is shown, and what has left stays in its place', () => {
    const rows = settle(settle(NO_ROWS, ['a', 'b']), ['c', 'b']);
    assert.deepEqual(rows, { shown: ['a', 'b'], waiting: ['c'], gone: ['a'] });
    assert.deepEqual(takeWaiting(['c', 'b']), { shown: ['c', 'b'], waiting: [], gone: [] });
  });
  it('replace a screen of which nothing is left', () => {
    assert.deepEqual(settle(settle(NO_ROWS, ['a']), ['b']).shown, ['b']);
  });
  it('never move a row that stays', () => {
    const ids = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd', 'e', 'f'));
    fc.assert(
      fc.property(ids, ids, (before, after) => {
        const first = settle(NO_ROWS, before);
        const second = settle(first, after);
        const kept = first.shown.filter((id) => after.includes(id));
        if (kept.length > 0) assert.deepEqual(second.shown, first.shown);
      }),
    );
  });
});
