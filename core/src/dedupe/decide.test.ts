import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SIGNAL_KINDS } from '../signal/kind.ts';
import { type DedupeFacts, decideSignal } from './decide.ts';
import { correlationKeyOf, FAMILY_OF } from './family.ts';

const LIMITS = { limit: 20, criticalReserve: 10 };
const OTHER = { id: 'other', number: 7, state: 'Escalated' } as const;
const CLOSED = { id: 'closed', number: 6, state: 'Resolved' } as const;

const QUIET: DedupeFacts = {
  signal: {
    kind: 'CrashLoopBackOff',
    severity: 'warning',
    status: 'firing',
    isSelf: false,
    about: 'CrashLoopBackOff of Deployment web in shop',
    nodeName: 'n1',
  },
  same: undefined,
  related: undefined,
  overlapping: undefined,
  node: undefined,
  burst: undefined,
  flapping: undefined,
  storm: { openedInWindow: 0, incidentId: undefined },
  previous: undefined,
};

type Over = Partial<Omit<DedupeFacts, 'signal'>> & { readonly signal?: Partial<DedupeFacts['signal']> };

function decide(over: Over): string {
  const decision = decideSignal({ ...QUIET, ...over, signal: { ...QUIET.signal, ...over.signal } }, LIMITS);
  return `${decision.kind === 'settle' ? decision.disposition : decision.kind} ${decision.reason}`;
}

describe('what becomes of a signal', () => {
  const flapping = { until: new Date(0), metaIncidentId: 'meta' };
  const CASES: Readonly<Record<string, { given: Over; expected: string }>> = {
    'nothing covers it: it opens': { given: {}, expected: 'open new-fault' },
    'it was there before: it opens and points back': { given: { previous: CLOSED }, expected: 'open recurrence' },
    'the same fault is open: it collapses': {
      given: { same: OTHER, related: OTHER },
      expected: 'collapsed same-fingerprint',
    },
    'the same owner and family are open: it joins': {
      given: { related: OTHER },
      expected: 'joined same-owner-and-family',
    },
    'owners overlap: it joins': { given: { overlapping: OTHER }, expected: 'joined overlapping-owners' },
    'its node is failing: it is absorbed': { given: { node: OTHER }, expected: 'absorbed on-failing-node' },
    'its image is missing, whatever its node does': {
      given: { node: OTHER, signal: { kind: 'ImagePullBackOff' } },
      expected: 'open new-fault',
    },
    'it is over already: late, whatever is open': {
      given: { same: OTHER, signal: { status: 'resolved' } },
      expected: 'late resolved-before-opened',
    },
    'a heartbeat is benign': { given: { signal: { kind: 'Watchdog' } }, expected: 'benign heartbeat' },
    'severity info opens nothing': { given: { signal: { severity: 'info' } }, expected: 'benign informational' },
    'severity info opens nothing about ourselves either': {
      given: { signal: { severity: 'info', isSelf: true } },
      expected: 'benign informational',
    },
    'severity info begins no storm': {
      given: { signal: { severity: 'info' }, storm: { openedInWindow: 99, incidentId: undefined } },
      expected: 'benign informational',
    },
    'severity info joins what is open': {
      given: { signal: { severity: 'info' }, related: OTHER },
      expected: 'joined same-owner-and-family',
    },
    'it flaps: held back': { given: { flapping }, expected: 'suppressed flapping' },
    'it flaps but is open: it collapses all the same': {
      given: { flapping, same: OTHER },
      expected: 'collapsed same-fingerprint',
    },
    'it belongs to a burst that somebody ended': {
      given: { burst: CLOSED, previous: CLOSED },
      expected: 'collapsed burst',
    },
    'the twenty-first in the window: storm': {
      given: { storm: { openedInWindow: 20, incidentId: undefined } },
      expected: 'storm storm',
    },
    'critical ones have a reserve': {
      given: { storm: { openedInWindow: 29, incidentId: 's' }, signal: { severity: 'critical' } },
      expected: 'open new-fault',
    },
    'which ends too': {
      given: { storm: { openedInWindow: 30, incidentId: 's' }, signal: { severity: 'critical' } },
      expected: 'storm storm',
    },
    'about ourselves: its own incident, in a storm too': {
      given: { related: OTHER, node: OTHER, storm: { openedInWindow: 99, incidentId: 's' }, signal: { isSelf: true } },
      expected: 'open new-fault',
    },
  };
  for (const [name, { given, expected }] of Object.entries(CASES))
    it(name, () => assert.equal(decide(given), expected));

  it('every kind has its place in the family table, and only kinds that say something have a family', () => {
    assert.deepEqual(Object.keys(FAMILY_OF).sort(), [...SIGNAL_KINDS].sort());
    assert.equal(correlationKeyOf({ cluster: 'c', owner: { kind: 'A', name: 'b' }, kind: 'Unknown' }), undefined);
    assert.equal(correlationKeyOf({ cluster: 'c', kind: 'OomKilled' }), undefined);
    const owner = { kind: 'Deployment', name: 'web' };
    assert.equal(
      correlationKeyOf({ cluster: 'c', namespace: 'n', owner, kind: 'OomKilled' }),
      correlationKeyOf({ cluster: 'c', namespace: 'n', owner, kind: 'ReplicaMismatch' }),
    );
  });
});
