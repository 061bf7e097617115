import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApi } from '@hephaisto/test/api';
import { insertIncident, insertInvestigation } from '@hephaisto/test/incident-rows';
import { sweepOnce } from './housekeeping.ts';

test('what has had its time goes, what has not stays', async () => {
  await using api = await startTestApi();
  const rui = await api.signIn('rui');
  await api.link('ana');
  const incident = await insertIncident(api.db);
  await insertInvestigation(api.db, incident, { stepText: 'a text that is long enough', raw: Buffer.from('raw') });
  await api.call(`/api/v1/incidents/${incident}/note`, {
    as: rui,
    body: { text: 'x' },
    headers: { 'idempotency-key': 'k' },
  });
  const nothing = {
    'idempotency keys': 0,
    'sign-in links': 0,
    'ended sessions': 0,
    'expired evidence': 0,
    'expired transcripts': 0,
  };
  assert.deepEqual(await sweepOnce(api.db), nothing);
  await api.db.moveClock('31 days');
  const all = {
    'idempotency keys': 1,
    'sign-in links': 2,
    'ended sessions': 1,
    'expired evidence': 1,
    'expired transcripts': 0,
  };
  assert.deepEqual(await sweepOnce(api.db), all);
  const kept = await api.db.query('SELECT result_text FROM steps');
  assert.equal(kept.length, 1);
});
