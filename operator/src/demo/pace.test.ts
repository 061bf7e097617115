import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPace } from './pace.ts';

describe('a pace', () => {
  it('divides waiting by its speed', async () => {
    const before = performance.now();
    await createPace(1_000).sleep(10_000);
    const waited = performance.now() - before;
    assert.ok(waited >= 9 && waited < 5_000, `ten compressed seconds took ${waited} ms`);
  });

  it('calls back once, or not at all when cancelled', async () => {
    const pace = createPace(1_000);
    const calls: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    pace.after(1_000, () => calls.push('cancelled'))();
    pace.after(2_000, () => {
      calls.push('kept');
      resolve();
    });
    await promise;
    assert.deepEqual(calls, ['kept']);
  });

  it('gives up a sleep when told to, before it or during it', async () => {
    const stop = new AbortController();
    const sleeping = createPace(1).sleep(60_000, stop.signal);
    stop.abort(new Error('enough'));
    await assert.rejects(sleeping, /enough/);
    await assert.rejects(createPace(1).sleep(60_000, stop.signal), /enough/);
  });

  it('refuses a speed that never arrives', () => {
    assert.throws(() => createPace(0), /expected a speed above zero, found `0`/);
  });
});
