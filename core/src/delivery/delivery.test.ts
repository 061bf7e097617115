import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { INCIDENT_STATES } from '../incident/machine.ts';
import { nextTry } from './backoff.ts';
import { judgeNotify, type NotifyFacts } from './controls.ts';
import { type RoutableEvent, type Route, routeEvent } from './route.ts';
import { classifyNoAnswer, renderBody } from './webhook.ts';

const TIMES = { firstMs: 10_000, longestMs: 900_000, giveUpAfterMs: 86_400_000 };
const LIMITS = { cooldownMs: 900_000, windowMs: 600_000, perWindow: 30 };

describe('when a message is tried again', () => {
  it('ten seconds doubled, a fifth of jitter, a quarter of an hour at most', () => {
    const waits = [1, 2, 3, 4, 8, 50].map((attempts) =>
      nextTry({ attempts, ageMs: 0, random: 0.5, retryAfterMs: undefined }, TIMES),
    );
    assert.deepEqual(
      waits.map((wait) => wait.kind === 'retry' && wait.inMs / 1000),
      [10, 20, 40, 80, 900, 900],
    );
  });

  it('stays within a fifth of the plain wait, and never comes before the receiver allows', () => {
    const input = fc.record({
      attempts: fc.integer({ min: 1, max: 100 }),
      random: fc.double({ min: 0, max: 1, noNaN: true }),
      retryAfterMs: fc.option(fc.integer({ min: 0, max: 3_600_000 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(input, (given) => {
        const plain = Math.min(TIMES.longestMs, TIMES.firstMs * 2 ** (given.attempts - 1));
        const next = nextTry({ ...given, ageMs: 0 }, TIMES);
        assert.ok(next.kind === 'retry');
        assert.ok(next.inMs >= Math.floor(plain * 0.8) && next.inMs >= (given.retryAfterMs ?? 0));
        assert.ok(next.inMs <= Math.max(Math.ceil(plain * 1.2), given.retryAfterMs ?? 0));
      }),
    );
  });

  it('a receiver that asks for years, or for more than a number holds, is tried once more when the message is given up', () => {
    for (const retryAfterMs of [1e12, 1e303, Number.POSITIVE_INFINITY]) {
      const next = nextTry({ attempts: 1, ageMs: 6_400_000, random: 0, retryAfterMs }, TIMES);
      assert.deepEqual(next, { kind: 'retry', inMs: 80_000_000 });
    }
  });

  it('ends after a day', () => {
    const state = { attempts: 90, ageMs: 86_400_000, random: 0, retryAfterMs: undefined };
    assert.equal(nextTry(state, TIMES).kind, 'give-up');
  });
});

const facts: fc.Arbitrary<NotifyFacts> = fc.record({
  to: fc.constantFrom(...INCIDENT_STATES),
  firstForWorkload: fc.boolean(),
  firstForIncidentState: fc.boolean(),
  sinceSameMs: fc.option(fc.integer({ min: 0, max: 2_000_000 }), { nil: undefined }),
  sentInWindow: fc.integer({ min: 0, max: 100 }),
});

describe('whether a message goes out', () => {
  it('the first about a workload always does', () => {
    fc.assert(fc.property(facts, (given) => judgeNotify({ ...given, firstForWorkload: true }, LIMITS).kind === 'send'));
  });

  it('a call for a person is only held back when the same was just said', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const call = { ...given, to: 'Escalated' as const, firstForIncidentState: true, sinceSameMs: 900_000 };
        assert.equal(judgeNotify(call, LIMITS).kind, 'send');
      }),
    );
  });

  it('repeats and excess are held back with their reason', () => {
    const base: NotifyFacts = {
      to: 'Resolved',
      firstForWorkload: false,
      firstForIncidentState: true,
      sinceSameMs: undefined,
      sentInWindow: 0,
    };
    assert.equal(judgeNotify(base, LIMITS).reason, 'within-limits');
    assert.equal(judgeNotify({ ...base, sinceSameMs: 1 }, LIMITS).reason, 'cooldown');
    assert.equal(judgeNotify({ ...base, sentInWindow: 30 }, LIMITS).reason, 'rate-limit');
  });
});

describe('what an event owes', () => {
  const route: Route = {
    name: 'r',
    channel: 'webhook',
    recipient: 'ops',
    states: ['Escalated'],
    severities: ['critical'],
    namespaces: [],
    onUnknown: 'resend',
  };
  const event: RoutableEvent = {
    eventId: 1,
    seq: 3,
    kind: 'transition',
    edge: 'I4',
    from: 'Triaging',
    to: 'Escalated',
    reason: 'x',
    at: '2026-11-30T09:00:00Z',
    incident: {
      id: 'i',
      number: 9,
      cluster: 'c',
      title: 't',
      kind: 'OomKilled',
      severity: 'critical',
      namespace: 'shop',
      ownerKind: 'Deployment',
      ownerName: 'web',
      escalationReason: 'AgentOff',
      suppressedReason: null,
      resolutionSource: null,
    },
  };
  it('one message a matching route, with a key that follows from the event', () => {
    assert.deepEqual(
      routeEvent(event, [route, { ...route, name: 's' }]).map((draft) => draft.idempotencyKey),
      ['i/3/r/ops', 'i/3/s/ops'],
    );
  });
  it('none for another state, severity, namespace, a note, or a state that is only repeated', () => {
    assert.equal(routeEvent({ ...event, repeats: true }, [route]).length, 0);
    assert.equal(routeEvent({ ...event, to: 'Expired' }, [route]).length, 0);
    assert.equal(routeEvent({ ...event, incident: { ...event.incident, severity: 'info' } }, [route]).length, 0);
    assert.equal(routeEvent(event, [{ ...route, namespaces: ['till'] }]).length, 0);
    assert.equal(routeEvent({ ...event, kind: 'note' }, [route]).length, 0);
    assert.equal(routeEvent({ ...event, from: 'Escalated' }, [route]).length, 0);
  });
  it('states what was held back', () => {
    const held = { count: 5, since: new Date('2026-11-30T08:00:00Z') };
    const message = { payload: {}, payloadVersion: 1, idempotencyKey: 'k', suppressedBefore: held };
    assert.match(renderBody(message, 'http://h'), /5 suppressed since 2026-11-30T08:00:00.000Z/);
  });
  it('silence before sending may be tried again, silence after it is unknown', () => {
    assert.equal(classifyNoAnswer(false, 'ECONNREFUSED').kind, 'Retryable');
    assert.equal(classifyNoAnswer(true, 'timeout').kind, 'Unknown');
  });
});
