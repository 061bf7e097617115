import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMemoryStore } from '../../cluster/memory-store.ts';
import { EVENTS } from '../shape/resources.ts';
import { aPod } from '../testing/samples.ts';
import { createEventRecorder, type EventText } from './event-recorder.ts';
import { createVirtualPace } from './virtual-pace.ts';

function recorder() {
  const pace = createVirtualPace();
  let made = 0;
  const store = createMemoryStore({ now: pace.now, ids: { uuid: () => `uid-${++made}` } });
  let drawn = 0;
  const events = createEventRecorder({ store, pace, random: () => (drawn++ % 27) / 27 });
  const record = (event: EventText) => events.record('some-controller', aPod('web-1'), event);
  return { pace, record, stored: () => store.list(EVENTS, 'shop') };
}

const CREATED: EventText = { type: 'Normal', reason: 'SuccessfulCreate', message: 'Created pod: web-1' };
const REFUSED: EventText = { type: 'Warning', reason: 'FailedScheduling', message: '0/1 nodes', action: 'Scheduling' };

describe('an event', () => {
  it('that repeats is counted up, not written again', () => {
    const { pace, record, stored } = recorder();
    record(CREATED);
    pace.advance(5_000);
    record(CREATED);
    const [event, ...others] = stored();
    assert.equal(others.length, 0);
    assert.deepEqual(
      [event?.count, event?.firstTimestamp, event?.lastTimestamp, event?.source],
      [2, '2030-01-01T00:00:00Z', '2030-01-01T00:00:05Z', { component: 'some-controller' }],
    );
  });

  it('that repeats long after is a new one', () => {
    const { pace, record, stored } = recorder();
    record(CREATED);
    pace.advance(601_000);
    record(CREATED);
    assert.equal(stored().length, 2);
  });

  it('of the scheduler is timed and counted as the newer events API does it', () => {
    const { pace, record, stored } = recorder();
    record(REFUSED);
    pace.advance(1_000);
    record(REFUSED);
    const [event] = stored();
    assert.deepEqual(
      [event?.firstTimestamp, event?.eventTime, event?.series, event?.action],
      [
        null,
        '2030-01-01T00:00:00.000000Z',
        { count: 2, lastObservedTime: '2030-01-01T00:00:01.000000Z' },
        'Scheduling',
      ],
    );
  });
});
