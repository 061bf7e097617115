import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { openRenewal } from './renew.ts';

const ID = 'f6b1c1de-0000-4000-8000-000000000001';

/** A page that shows some queries, each read answered when the test says so. */
function page(...keys: readonly (readonly string[])[]) {
  const client = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } },
  });
  const reads: { readonly key: string; readonly signal: AbortSignal; readonly answer: (value: unknown) => void }[] = [];
  const leave = keys.map((queryKey) =>
    new QueryObserver(client, {
      queryKey,
      queryFn: ({ signal }) => new Promise((answer) => reads.push({ key: queryKey.join(' '), signal, answer })),
    }).subscribe(() => {}),
  );
  const renewal = openRenewal(client);
  return {
    client,
    reads,
    renewal,
    of: (key: string) => reads.filter((read) => read.key === key),
    async answer(value: unknown = { value: { id: ID } }) {
      for (const read of reads) read.answer(value);
      await pass(0);
    },
    close() {
      renewal.close();
      for (const stop of leave) stop();
      client.clear();
    },
  };
}

/** Lets so much time go by, and all that follows from it happen. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left >= 0; left -= 5) {
    mock.timers.tick(Math.min(5, left));
    await setImmediate();
  }
}

describe('what events make old', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 }));
  afterEach(() => mock.timers.reset());

  it('is read again at once, the report that is open before the lists', async () => {
    const shown = page(['incident', '7'], ['inbox'], ['switches']);
    await shown.answer();
    shown.renewal.hear({ name: 'incident', incidentId: ID });
    await pass(40);
    assert.deepEqual(
      shown.reads.slice(3).map(({ key }) => key),
      ['incident 7'],
    );
    await shown.answer();
    await pass(10);
    assert.deepEqual(
      shown.reads.slice(4).map(({ key }) => key),
      ['inbox'],
    );
    shown.close();
  });
  it('is not kept waiting by a report that does not come', async () => {
    const shown = page(['incident', '7'], ['inbox']);
    await shown.answer();
    shown.renewal.hear({ name: 'incident', incidentId: ID });
    await pass(250);
    assert.equal(shown.of('inbox').length, 2);
    shown.close();
  });
  it('is read to the end while events pour in, and once more for what was heard meanwhile', async () => {
    const shown = page(['inbox']);
    await shown.answer();
    for (let count = 0; count < 60; count += 1) {
      shown.renewal.hear({ name: 'incident', incidentId: ID });
      await pass(20);
    }
    assert.equal(shown.of('inbox').length, 2);
    assert.ok(
      shown.reads.every(({ signal }) => !signal.aborted),
      'no reading was broken off',
    );
    assert.ok((shown.renewal.behindSince() ?? Number.NaN) < 200, 'and the screen says how old it is');
    await shown.answer({ value: 'newer' });
    assert.equal(shown.of('inbox').length, 3);
    await shown.answer({ value: 'newest' });
    assert.deepEqual(shown.client.getQueryData(['inbox']), { value: 'newest' });
    await pass(2_000);
    assert.equal(shown.of('inbox').length, 3);
    assert.equal(shown.renewal.behindSince(), undefined);
    shown.close();
  });
  it('is read again behind a reading that was already under way, which may have been asked before the event', async () => {
    const shown = page(['incident', '7'], ['inbox']);
    shown.renewal.hear({ name: 'incident', incidentId: ID });
    await pass(300);
    assert.deepEqual([shown.of('incident 7').length, shown.of('inbox').length], [1, 1]);
    await shown.answer();
    await pass(10);
    assert.deepEqual([shown.of('incident 7').length, shown.of('inbox').length], [2, 2]);
    assert.ok(shown.reads.every(({ signal }) => !signal.aborted));
    shown.close();
  });
  it('is not read where nobody looks, and another report is left alone', async () => {
    const shown = page(['incident', '9']);
    shown.client.setQueryData(['inbox'], { value: 'old' });
    await shown.answer({ value: { id: 'another' } });
    shown.renewal.hear({ name: 'incident', incidentId: ID });
    await pass(1_000);
    assert.equal(shown.reads.length, 1);
    assert.equal(shown.client.getQueryState(['inbox'])?.isInvalidated, true);
    shown.close();
  });
});
