import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createTurns, type Pace } from './turns.ts';

const PACE: Pace = { gatherMs: 25, restMs: () => 250, failedMs: 3_000, patienceMs: 45_000, now: () => Date.now() };

/** Turns whose ends the test decides, and what each was given at which time. */
function watched(pace: Pace = PACE) {
  const starts: { readonly at: number; readonly names: readonly string[] }[] = [];
  let end: PromiseWithResolvers<readonly string[]> | undefined;
  const turns = createTurns((names) => {
    assert.equal(end, undefined, 'no two turns at once');
    starts.push({ at: Date.now(), names: [...names].sort() });
    end = Promise.withResolvers();
    return end.promise;
  }, pace);
  return {
    turns,
    starts,
    async finish(left: readonly string[] = []) {
      const ended = end;
      end = undefined;
      ended?.resolve(left);
      await setImmediate();
    },
    async fail() {
      const ended = end;
      end = undefined;
      ended?.reject(new Error('no answer'));
      await setImmediate();
    },
  };
}

describe('turns', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 }));
  afterEach(() => mock.timers.reset());

  it('answer the first thing at once, together with what comes right behind it', () => {
    const { turns, starts } = watched();
    turns.ask(['a']);
    mock.timers.tick(20);
    turns.ask(['b']);
    mock.timers.tick(5);
    assert.deepEqual(starts, [{ at: 25, names: ['a', 'b'] }]);
  });
  it('are left to finish while events pour in, and all that was heard meanwhile is one more turn', async () => {
    const { turns, starts, finish } = watched();
    for (let at = 0; at < 1_000; at += 10) {
      turns.ask([at % 20 === 0 ? 'a' : 'b']);
      mock.timers.tick(10);
    }
    assert.equal(starts.length, 1);
    await finish();
    assert.deepEqual(starts[1], { at: 1_000, names: ['a', 'b'] });
    await finish();
    mock.timers.tick(10_000);
    assert.equal(starts.length, 2, 'nothing was left to answer');
  });
  it('come at most four times a second however fast they are answered', async () => {
    const { turns, starts, finish } = watched();
    for (let at = 0; at < 2_000; at += 10) {
      turns.ask(['a']);
      mock.timers.tick(10);
      await finish();
    }
    const gaps = starts.slice(1).map(({ at }, index) => at - (starts[index]?.at ?? 0));
    assert.ok(gaps.length >= 6 && gaps.every((gap) => gap >= 240 && gap <= 300), JSON.stringify(gaps));
  });
  it('begin at once again after a quiet while', async () => {
    const { turns, starts, finish } = watched();
    turns.ask(['a']);
    mock.timers.tick(25);
    await finish();
    mock.timers.tick(5_000);
    turns.ask(['b']);
    mock.timers.tick(25);
    assert.deepEqual(starts[1], { at: 5_050, names: ['b'] });
  });
  it('ask again what was left undone, and after a failure everything, a good while later', async () => {
    const { turns, starts, finish, fail } = watched();
    turns.ask(['a', 'b']);
    mock.timers.tick(25);
    await finish(['b']);
    mock.timers.tick(250);
    assert.deepEqual(starts[1], { at: 275, names: ['b'] });
    await fail();
    mock.timers.tick(2_999);
    assert.equal(starts.length, 2);
    mock.timers.tick(1);
    assert.deepEqual(starts[2]?.names, ['b']);
  });
  it('say since when something heard has not been answered', async () => {
    const { turns, finish } = watched();
    assert.equal(turns.behindSince(), undefined);
    turns.ask(['a']);
    mock.timers.tick(25);
    turns.ask(['b']);
    mock.timers.tick(1_000);
    assert.equal(turns.behindSince(), 0, 'the turn under way answers it');
    await finish();
    assert.equal(turns.behindSince(), 25, 'the one behind it has begun');
    await finish();
    assert.equal(turns.behindSince(), undefined);
  });
  it('do not wait for ever for one that never ends', async () => {
    let count = 0;
    const turns = createTurns(() => {
      count += 1;
      return new Promise<never>(() => {});
    }, PACE);
    turns.ask(['a']);
    mock.timers.tick(25);
    mock.timers.tick(PACE.patienceMs);
    await setImmediate();
    mock.timers.tick(PACE.failedMs);
    assert.equal(count, 2);
    turns.close();
  });
  it('end when closed', () => {
    const { turns, starts } = watched();
    turns.ask(['a']);
    turns.close();
    mock.timers.tick(1_000);
    turns.ask(['b']);
    mock.timers.tick(1_000);
    assert.deepEqual(starts, []);
  });
});
