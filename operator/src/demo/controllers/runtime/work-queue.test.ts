import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createInstants } from './instants.ts';
import { createVirtualPace } from './virtual-pace.ts';
import { again, createWorkQueue, type Outcome, SETTLED } from './work-queue.ts';

function queueWith(reconcile: (key: string, look: number) => Outcome) {
  const pace = createVirtualPace();
  const started = pace.now().getTime();
  const looks: string[] = [];
  const errors: unknown[] = [];
  const queue = createWorkQueue({
    pace,
    reconcile: (key) => {
      looks.push(`${key}@${pace.now().getTime() - started}`);
      return reconcile(key, looks.length);
    },
    onError: (_key, error) => errors.push(error),
  });
  return { pace, queue, looks, errors };
}

describe('a work queue', () => {
  it('collapses repeats and looks outside the call that asked', () => {
    const { pace, queue, looks } = queueWith(() => SETTLED);
    for (let times = 0; times < 5; times++) queue.add('a');
    queue.add('b');
    assert.deepEqual(looks, []);
    pace.advance(0);
    assert.deepEqual(looks, ['a@0', 'b@0']);
  });

  it('keeps the earlier of two appointments', () => {
    const { pace, queue, looks } = queueWith(() => SETTLED);
    queue.addAfter('a', 500);
    queue.addAfter('a', 100);
    queue.addAfter('a', 300);
    pace.advance(1_000);
    assert.deepEqual(looks, ['a@100']);
  });

  it('looks again when asked to', () => {
    const { pace, queue, looks } = queueWith((_key, look) => (look < 3 ? again(100) : SETTLED));
    queue.add('a');
    pace.advance(1_000);
    assert.deepEqual(looks, ['a@0', 'a@100', 'a@200']);
  });

  it('tries again after failures with growing delays, and reports each', () => {
    const { pace, queue, looks, errors } = queueWith((_key, look) => {
      if (look < 4) throw new Error('conflict');
      return SETTLED;
    });
    queue.add('a');
    pace.advance(1_000);
    assert.deepEqual(looks, ['a@0', 'a@5', 'a@15', 'a@35']);
    assert.equal(errors.length, 3);
  });

  it('does nothing once closed', () => {
    const { pace, queue, looks } = queueWith(() => SETTLED);
    queue.add('a');
    queue.addAfter('b', 10);
    queue.close();
    queue.add('c');
    pace.advance(100);
    assert.deepEqual(looks, []);
  });
});

describe('the instant of a timestamp', () => {
  it('is when it was first seen, if that is what the whole second can mean', () => {
    const instants = createInstants();
    const at = new Date('2030-01-01T00:00:00.900Z');
    assert.equal(instants.since('a', '2030-01-01T00:00:00Z', at), at.getTime());
    assert.equal(instants.since('a', '2030-01-01T00:00:00Z', new Date(at.getTime() + 60_000)), at.getTime());
  });

  it('is the timestamp itself when that is older, and anew when it changes', () => {
    const instants = createInstants();
    const later = new Date('2030-01-01T00:01:00Z');
    assert.equal(instants.since('a', '2030-01-01T00:00:00Z', later), Date.parse('2030-01-01T00:00:00Z'));
    assert.equal(instants.since('a', '2030-01-01T00:01:00Z', later), later.getTime());
    instants.forget('a');
    assert.equal(instants.since('a', '2030-01-01T00:00:30Z', later), Date.parse('2030-01-01T00:00:30Z'));
  });
});
