import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Observation } from './observation.ts';
import { storedText as stored } from './stored-text.ts';

function storedText(seen: Pick<Observation, 'reason' | 'message' | 'labels' | 'payload'>, settledReason?: string) {
  return stored(seen, settledReason, new Set());
}

const CANARY = 'zK9canaryQ7w2Lx8';
const seen = { reason: 'PodCrash', message: 'checkout crashes', labels: {}, payload: {} };

test('a payload with a message of its own does not replace the computed one', () => {
  assert.equal(storedText({ ...seen, payload: { message: 'x'.repeat(9_000) } }).payload.message, 'checkout crashes');
});

test('no member of a payload replaces the computed message', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (payload) => {
      assert.equal(
        storedText({ ...seen, payload: { ...payload, message: 'other' } }).payload.message,
        'checkout crashes',
      );
    }),
  );
});

test('secrets leave labels, annotations, message, reason and payload before anything is stored', () => {
  const kept = storedText(
    {
      reason: `Crash password=${CANARY}`,
      message: `login with password=${CANARY} failed`,
      labels: { alertname: 'X', api_key: CANARY, url: `https://u:${CANARY}@h/` },
      payload: {
        labels: { api_key: CANARY },
        annotations: { description: `Authorization: Bearer ${CANARY}`, token: CANARY },
        generatorURL: `https://prometheus/graph?token=${CANARY}`,
      },
    },
    `benign: token=${CANARY}`,
  );
  assert.doesNotMatch(JSON.stringify(kept), /canary/i);
  assert.equal(kept.labels.alertname, 'X');
});

test('the name of a Secret in a label is no secret', () => {
  const labels = { secret: 'db-credentials', exported_secret: 'db-credentials', secretName: 'tls' };
  assert.deepEqual(storedText({ ...seen, labels }).labels.secret, 'db-credentials');
  assert.deepEqual(storedText({ ...seen, labels }).labels.secretName, 'tls');
});

test('a message is cut after its secrets are taken out, so that no half of one is left', () => {
  const message = `${'x'.repeat(1_990)} password=${CANARY}`;
  assert.doesNotMatch(String(storedText({ ...seen, message }).payload.message), /zK9/);
});
