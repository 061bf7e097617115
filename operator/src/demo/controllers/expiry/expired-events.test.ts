import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../../cluster/object.ts';
import { expiredEvents } from './expired-events.ts';

const event = (name: string, fields: Record<string, unknown>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, namespace: 'shop', creationTimestamp: '2030-01-01T00:00:00Z' },
  ...fields,
});

describe('an event is dropped', () => {
  it('an hour after it last happened, whichever way that was written', () => {
    const events = [
      event('old', { lastTimestamp: '2030-01-01T00:10:00Z', eventTime: null }),
      event('repeated', { lastTimestamp: '2030-01-01T01:10:00Z', eventTime: null }),
      event('series', { lastTimestamp: null, series: { count: 2, lastObservedTime: '2030-01-01T01:10:00.000000Z' } }),
      event('bare', {}),
    ];
    const expired = expiredEvents(events, new Date('2030-01-01T01:30:00Z'));
    assert.deepEqual(
      expired.map(({ metadata }) => metadata.name),
      ['old', 'bare'],
    );
  });
});
