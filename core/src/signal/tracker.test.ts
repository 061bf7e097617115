import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Holds, Symptom } from './symptom.ts';
import { createTracker, type Tracked, type Tracker } from './tracker.ts';

const HOLDS: Holds = {
  firstCrash: 100,
  rolloutCrash: 100,
  imagePull: 100,
  unschedulable: 100,
  config: 10,
  notReady: 100,
  notReadyAlone: 1_000,
  replicas: 1_000,
  node: 10,
  cordonedNode: 1_000,
};

const tracker = (): Tracker => createTracker({ holds: HOLDS, healMs: 50, repeatMs: 1_000, repeatChangedMs: 20 });

function symptom(over: Partial<Symptom> = {}): Symptom {
  return { key: 'Crash/app', kind: 'CrashLoopBackOff', severity: 'critical', reason: 'x', message: 'm', ...over };
}

const held = symptom({
  hold: 'firstCrash',
  ifBrief: { reason: 'single-restart-recovered', message: 'b', afterShareOfHold: 0 },
});
const kinds = (tracked: readonly Tracked[]): readonly string[] => tracked.map((each) => each.kind);

describe('following symptoms', () => {
  it('one that counts at once fires at first sight', () => {
    assert.deepEqual(kinds(tracker().observe('u', [symptom()], 0)), ['fired']);
  });

  it('one that is held fires when it has lasted, without being looked at again', () => {
    const t = tracker();
    assert.deepEqual(t.observe('u', [held], 0), []);
    assert.equal(t.nextDueMs(), 100);
    assert.deepEqual(kinds(t.due(99)), []);
    assert.deepEqual(kinds(t.due(100)), ['fired']);
  });

  it('one that passes before it counted is brief', () => {
    const t = tracker();
    t.observe('u', [held], 0);
    assert.deepEqual(kinds(t.observe('u', [], 60)), ['brief']);
    assert.equal(t.hasSymptom('u'), false);
  });

  it('an absence shorter than healing takes is none: a container runs between two crashes', () => {
    const t = tracker();
    t.observe('u', [symptom()], 0);
    assert.deepEqual(t.observe('u', [], 10), []);
    assert.deepEqual(kinds(t.observe('u', [symptom()], 40)), []);
    assert.deepEqual(t.observe('u', [], 60), []);
    assert.deepEqual(kinds(t.due(110)), ['healed']);
  });

  it('one that comes back with the beginning of an ended one is another episode: an ended one never fires again', () => {
    const t = tracker();
    const since = symptom({ since: new Date(0) });
    const first = t.observe('u', [since], 10);
    t.observe('u', [], 20);
    t.due(80);
    const second = t.observe('u', [since], 90);
    assert.deepEqual(kinds([...first, ...second]), ['fired', 'fired']);
    assert.equal(new Set([...first, ...second].map((each) => 'episode' in each && each.episode.externalKey)).size, 2);
  });

  it('of an object that cannot be seen nothing is told: neither that its fault lasted nor that it healed', () => {
    const t = tracker();
    t.observe('u', [held], 0);
    t.observe('v', [symptom()], 0);
    t.observe('v', [], 10);
    const isUnseen = (): boolean => true;
    assert.deepEqual([t.due(500, isUnseen), t.nextDueMs(isUnseen)], [[], undefined]);
    assert.deepEqual(kinds(t.due(500)), ['fired', 'healed']);
  });

  it('one that is held from a later instant counts from there', () => {
    const t = tracker();
    t.observe('u', [{ ...held, holdFrom: new Date(40) }], 0);
    assert.equal(t.nextDueMs(), 140);
  });

  it('one that takes longer to heal is one episode over a longer absence', () => {
    const t = tracker();
    const slow = symptom({ healMs: 500 });
    t.observe('u', [slow], 0);
    t.observe('u', [], 10);
    assert.deepEqual(kinds(t.observe('u', [slow], 400)), []);
    t.observe('u', [], 410);
    assert.deepEqual(kinds(t.due(900)), []);
    assert.deepEqual(kinds(t.due(910)), ['healed']);
  });

  it('what happens in moments heals without being seen again, and is one episode while it goes on', () => {
    const t = tracker();
    const at = (ms: number) => symptom({ lastAt: new Date(ms), healMs: 500 });
    assert.deepEqual(kinds(t.observe('u', [at(0)], 0)), ['fired']);
    assert.deepEqual(kinds(t.observe('u', [at(0)], 300)), []);
    assert.equal(t.nextDueMs(), 500);
    t.observe('u', [at(400)], 400);
    assert.deepEqual(kinds(t.due(899)), []);
    assert.deepEqual(kinds(t.due(900)), ['healed']);
  });

  it('an object that is gone is healed at once', () => {
    const t = tracker();
    t.observe('u', [symptom()], 0);
    const [healed] = t.forget('u', 5);
    assert.ok(healed?.kind === 'healed');
    assert.equal(healed.why, 'object-gone');
  });

  it('what changes is told again, but not with each change; what does not, rarely', () => {
    const t = tracker();
    t.observe('u', [symptom()], 0);
    assert.deepEqual(t.observe('u', [symptom({ message: 'n' })], 10), []);
    assert.deepEqual(kinds(t.observe('u', [symptom({ message: 'o' })], 30)), ['repeated']);
    assert.deepEqual(t.due(900), []);
    assert.deepEqual(kinds(t.due(1_030)), ['repeated']);
  });

  it('counts from the object’s own word, but never from the future', () => {
    const early = tracker();
    assert.deepEqual(kinds(early.observe('u', [{ ...held, since: new Date(0) }], 5_000)), ['fired']);
    const late = tracker();
    late.observe('u', [{ ...held, since: new Date(9_000) }], 5_000);
    assert.equal(late.nextDueMs(), 5_100);
  });

  it('goes on with an adopted episode under its old name, and ends it when its object is gone', () => {
    const t = tracker();
    const episode = { symptomKey: 'Crash/app', externalKey: 'u/Crash/app/old', startsAt: new Date(1) };
    t.adopt('u', episode, 5_000);
    t.adopt('v', { ...episode, externalKey: 'v/Crash/app/old' }, 5_000);
    assert.deepEqual(t.observe('u', [symptom()], 5_001), []);
    assert.deepEqual(t.unseen(), ['v']);
    const [healed] = t.forget('v', 5_002);
    assert.ok(healed?.kind === 'healed');
    assert.equal(healed.episode.externalKey, 'v/Crash/app/old');
  });

  it('whatever happens, each episode fires once, heals at most once, and heals only after it fired', () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 120 }),
      seen: fc.constantFrom('none', 'now', 'held', 'gone'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const t = tracker();
        const fired = new Set<string>();
        const healed = new Set<string>();
        let now = 0;
        const note = (tracked: readonly Tracked[]): void => {
          for (const each of tracked) {
            if (each.kind === 'brief') continue;
            const key = each.episode.externalKey;
            if (each.kind === 'fired') {
              assert.ok(!fired.has(key) || healed.has(key));
              fired.add(key);
              healed.delete(key);
            }
            if (each.kind === 'healed') {
              assert.ok(fired.has(key) && !healed.has(key));
              healed.add(key);
            }
          }
        };
        for (const { wait, seen } of steps) {
          now += wait;
          note(t.due(now));
          if (seen === 'gone') note(t.forget('u', now));
          else note(t.observe('u', seen === 'none' ? [] : [seen === 'now' ? symptom() : held], now));
        }
        note(t.forget('u', now + 1));
        assert.deepEqual([...healed].sort(), [...fired].sort());
      }),
    );
  });
});
