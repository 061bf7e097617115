import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IncidentReport } from '@hephaisto/core/report/incident';
import { investigatorLines } from './investigator-lines.ts';

type Look = IncidentReport['investigations'][number];

const MODEL: Look['model'] = {
  looked: true,
  reason: 'concluded',
  message: 'in sum',
  provider: 'gemini',
  model: 'm-1',
  calls: 2,
  inputTokens: 900,
  outputTokens: 90,
  cachedTokens: 500,
  costUsd: 0.0123,
  budgetUsd: 0.5,
  budgetLeftUsd: 0.4877,
  latencyMs: 312,
  longestCallMs: 900,
  underWay: false,
};

function finding(over: Partial<Look['findings'][number]>): Look['findings'][number] {
  return {
    id: 'f',
    ordinal: 1,
    category: 'unknown',
    statement: 'one pod is bad',
    certainty: 'possible',
    rule: 'one-bad-replica',
    saidBy: 'rules',
    cause: {},
    primary: false,
    status: 'grounded',
    dropReason: null,
    evidence: [],
    ...over,
  };
}

/** Lines of a report that holds what is asked for and nothing else. */
function lines(look: Partial<Look>, plan: IncidentReport['plan'] = null): readonly string[] {
  const whole = {
    attempt: 1,
    state: 'Concluded',
    stepsUsed: 6,
    budgetSteps: 25,
    steps: [],
    findings: [finding({})],
    model: MODEL,
  };
  return investigatorLines({ investigations: [{ ...whole, ...look }], plan } as unknown as IncidentReport);
}

test('each who looked is named with what it said, and a model with what it took and what is left', () => {
  const said = finding({ rule: null, saidBy: 'model', statement: 'a stale lock', certainty: 'likely', primary: true });
  assert.deepEqual(lines({ findings: [finding({}), said] }), [
    'investigation 1 (Concluded): 6 of 25 reads',
    '  rules: one pod is bad (possible)',
    '  gemini m-1 (concluded): a stale lock (likely)',
    '    2 calls, 900 (500 cached) + 90 tokens, $0.0123 of $0.50, $0.4877 left, first byte after 312 ms',
  ]);
});

test('without a model there is one sentence, and no figure', () => {
  const model = {
    ...MODEL,
    looked: false,
    reason: 'not-configured',
    message: 'no model is configured; the rules looked alone',
  };
  assert.deepEqual(lines({ model: { ...model, calls: 0 } }).slice(2), [
    '  no model looked: no model is configured; the rules looked alone',
  ]);
});

test('a model that was not reached, and claims that did not stand, are told', () => {
  const model = { ...MODEL, looked: false, reason: 'unavailable', message: 'it answered 503', calls: 0 };
  assert.match(lines({ model })[2] ?? '', /\(unavailable\): no model looked: it answered 503/);
  const dropped = finding({ rule: null, saidBy: 'model', status: 'dropped', dropReason: 'not_substring' });
  assert.match(lines({ findings: [dropped] })[2] ?? '', /claims dropped, since no quotation stands: 1/);
});

test('while one looks, its latest reads are told as they stand', () => {
  const step = { ordinal: 3, tool: 'get_logs', args: { pod: 'a' }, status: 'running', finishedAt: null };
  const model = { ...MODEL, reason: 'under-way', calls: 0 };
  const running = lines({ state: 'Running', model, findings: [], steps: [step] as unknown as Look['steps'] });
  assert.equal(running.at(-1), '    E3 get_logs {"pod":"a"}: reading');
  assert.equal(running[1], '  rules: reading');
});
