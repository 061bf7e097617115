import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { StoreUnavailable } from '@hephaisto/core/ports/database';
import { PROBLEM_CODES, PROBLEMS } from '@hephaisto/core/report/problem';
import { type ApiUnderTest, type SignedIn, startTestApi, WEBHOOK_TOKEN } from '@hephaisto/test/api';
import { insertIncident, insertInvestigation, insertProposal } from '@hephaisto/test/incident-rows';

describe('writes', () => {
  let api: ApiUnderTest;
  let rui: SignedIn;
  let incident: string;
  before(async () => {
    api = await startTestApi({
      commands: {
        assign: async ({ expectedVersion }) =>
          expectedVersion === 999
            ? { kind: 'refused', reason: 'version-conflict', message: 'expected version 999, found another' }
            : { kind: 'done' },
      },
    });
    rui = await api.signIn('rui');
    incident = await insertIncident(api.db);
  });
  after(() => api[Symbol.asyncDispose]());

  const note = (key: string, text: string) =>
    api.call(`/api/v1/incidents/${incident}/note`, { as: rui, body: { text }, headers: { 'idempotency-key': key } });

  test('the same key and request is carried out once and answered twice alike', async () => {
    const before = api.commanded.length;
    const first = await note('k1', 'hello');
    const second = await note('k1', 'hello');
    assert.equal(api.commanded.length, before + 1);
    assert.deepEqual([second.status, second.body], [first.status, first.body]);
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
  });

  test('the same key with another request is a mistake', async () => {
    await note('k2', 'one');
    assert.equal((await note('k2', 'two')).body.code, 'idempotency-key-reused');
  });

  test('another person’s key of the same name is another key', async () => {
    await note('k3', 'one');
    const ben = await api.signIn('ben');
    const other = await api.call(`/api/v1/incidents/${incident}/note`, {
      as: ben,
      body: { text: 'two' },
      headers: { 'idempotency-key': 'k3' },
    });
    assert.equal(other.status, 200);
  });

  test('of many at the same moment with one key one is carried out and none is doubled', async () => {
    const before = api.commanded.length;
    const answers = await Promise.all(Array.from({ length: 10 }, () => note('k4', 'race')));
    assert.equal(api.commanded.length, before + 1);
    for (const answer of answers) assert.ok(answer.status === 200 || answer.body.code === 'request-in-progress');
  });

  test('a refusal is kept for the key too', async () => {
    const assign = () =>
      api.call(`/api/v1/incidents/${incident}/assign`, {
        as: rui,
        body: { assignee: null },
        headers: { 'idempotency-key': 'k5', 'if-match': '"999"' },
      });
    assert.equal((await assign()).body.code, 'version-mismatch');
    const again = await assign();
    assert.deepEqual([again.status, again.body.code], [412, 'version-mismatch']);
    assert.match(again.headers.get('content-type') ?? '', /application\/problem\+json/);
  });

  test('giving an incident away needs the version that was seen', async () => {
    const path = `/api/v1/incidents/${incident}/assign`;
    assert.equal((await api.call(path, { as: rui, body: { assignee: 'ana' } })).body.code, 'version-required');
    const read = await api.call(`/api/v1/incidents/${incident}`, { as: rui });
    const etag = read.headers.get('etag') ?? '';
    assert.equal(
      (await api.call(path, { as: rui, body: { assignee: 'ana' }, headers: { 'if-match': etag } })).status,
      200,
    );
  });

  const WRONG: Readonly<Record<string, readonly [unknown, number, string]>> = {
    'a body that is no JSON': ['{"text":', 400, 'malformed-body'],
    'a body of another shape': [{ words: 'x' }, 400, 'invalid-request'],
    'a body of the wrong type': [{ text: 5 }, 400, 'invalid-request'],
    'an empty text': [{ text: '  ' }, 400, 'invalid-request'],
    'a body that is too large': [{ text: 'x'.repeat(300_000) }, 413, 'body-too-large'],
  };
  for (const [sentence, [body, status, code]] of Object.entries(WRONG)) {
    test(`${sentence} is answered with ${code}`, async () => {
      const answer = await api.call(`/api/v1/incidents/${incident}/note`, { as: rui, body });
      assert.deepEqual([answer.status, answer.body.code], [status, code]);
      assert.match(answer.headers.get('content-type') ?? '', /application\/problem\+json/);
    });
  }

  test('who only says that he has seen it need send nothing', async () => {
    const answer = await api.call(`/api/v1/incidents/${incident}/ack`, { as: rui, method: 'POST' });
    assert.equal(answer.status, 200, answer.text);
  });

  test('a path that does not exist, an id that is none and an incident that is not there are told apart', async () => {
    assert.equal((await api.call('/api/v1/nothing', { as: rui })).body.code, 'not-found');
    const unnamed = await api.call('/api/v1/incidents/x', { as: rui });
    assert.deepEqual([unnamed.body.code, unnamed.body.detail], ['invalid-request', '/id: expected a uuid or a number']);
    assert.equal((await api.call('/api/v1/incidents/999999', { as: rui })).body.code, 'incident-not-found');
    assert.equal((await api.call('/api/v1/incidents?cursor=zzz', { as: rui })).body.code, 'invalid-cursor');
    assert.equal((await api.call('/api/v1/incidents?state=Nowhere', { as: rui })).body.code, 'invalid-request');
  });
});

test('a vote that is refused says why, by whom and when, with the code and status of its reason', async () => {
  const refusals: Readonly<Record<string, number>> = {
    'already-decided': 409,
    'already-voted': 409,
    'target-changed': 409,
    'digest-mismatch': 409,
    'self-approval': 403,
    'service-vote': 403,
    'switched-off': 409,
    'a-reason-nobody-knows': 409,
  };
  let reason = '';
  await using api = await startTestApi({
    commands: {
      decide: async () => ({
        kind: 'refused',
        reason,
        message: 'no',
        details: { by: 'ben', delta: [{ path: 'replicas' }] },
      }),
    },
  });
  const id = await insertIncident(api.db);
  const { investigationId } = await insertInvestigation(api.db, id, { stepText: 'a text that is long enough' });
  const { proposalId, digest } = await insertProposal(api.db, id, investigationId);
  const ana = await api.signIn('ana');
  for (const [name, status] of Object.entries(refusals)) {
    reason = name;
    const answer = await api.call(`/api/v1/proposals/${proposalId}/approve`, { as: ana, body: { digest } });
    assert.equal(answer.status, status, name);
    assert.deepEqual(answer.body.details, { reason: name, by: 'ben', delta: [{ path: 'replicas' }] });
  }
  const withoutReason = await api.call(`/api/v1/proposals/${proposalId}/deny`, { as: ana, body: { digest } });
  assert.equal(withoutReason.body.code, 'invalid-request');
});

test('two who pull the emergency stop at the same moment have both pulled it', async () => {
  const versions: unknown[] = [];
  await using api = await startTestApi({
    commands: {
      setSwitch: async ({ expectedVersion }) => {
        versions.push(expectedVersion);
        return { kind: 'done' };
      },
    },
  });
  const rui = await api.signIn('rui');
  const body = { value: 'on', reason: 'stop' };
  const answer = await api.call('/api/v1/switches/emergency_stop', { as: rui, method: 'PUT', body });
  assert.deepEqual([answer.status, versions], [200, [undefined]]);
});

test('a command that fails on our side tells nothing of the inside, and may be sent again with its key', async () => {
  let fails = true;
  await using api = await startTestApi({
    commands: {
      note: async () => {
        if (fails) throw new StoreUnavailable('connection to 10.0.0.9 lost', { outcome: 'none' });
        return { kind: 'done' };
      },
      close: () => Promise.reject(new Error('secret detail')),
    },
  });
  const id = await insertIncident(api.db);
  const rui = await api.signIn('rui');
  const send = () =>
    api.call(`/api/v1/incidents/${id}/note`, { as: rui, body: { text: 'x' }, headers: { 'idempotency-key': 'k' } });
  const away = await send();
  assert.deepEqual([away.status, away.body.code, away.headers.get('retry-after')], [503, 'store-unavailable', '5']);
  assert.ok(!away.text.includes('10.0.0.9'));
  fails = false;
  assert.equal((await send()).status, 200);
  const broken = await api.call(`/api/v1/incidents/${id}/close`, { as: rui, body: { reason: 'x' } });
  assert.equal(broken.body.code, 'internal');
  assert.ok(!broken.text.includes('secret detail'));
});

test('who asks too often is told when to come back, and the probes and the webhook still answer', async () => {
  await using api = await startTestApi({ config: { server: { port: 0, requestsPerMinute: 5 } } });
  const vic = await api.signIn('vic');
  const statuses: number[] = [];
  for (let n = 0; n < 8; n += 1) statuses.push((await api.call('/api/v1/incidents', { as: vic })).status);
  assert.deepEqual(statuses.slice(-2), [429, 429]);
  const refused = await api.call('/api/v1/incidents', { as: vic });
  assert.equal(refused.body.code, 'rate-limited');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal((await api.call('/livez')).status, 200);
  const hook = await api.call('/webhooks/alertmanager', {
    body: {},
    headers: { authorization: `Bearer ${WEBHOOK_TOKEN}` },
  });
  assert.equal(hook.status, 503);
});

test('an unknown caller who tries too often is told so, and neither a known one nor the emergency stop has to wait', async () => {
  await using api = await startTestApi({ config: { server: { port: 0, requestsPerMinute: 5 } } });
  const rui = await api.signIn('rui');
  const statuses: number[] = [];
  for (let n = 0; n < 8; n += 1) {
    const headers = { authorization: `Bearer made-up-${n}` };
    statuses.push((await api.call('/api/v1/incidents', { headers })).status);
  }
  assert.deepEqual([statuses[0], ...statuses.slice(-2)], [401, 429, 429]);
  for (let n = 0; n < 8; n += 1) await api.call('/api/v1/incidents', { as: rui });
  assert.equal((await api.call('/api/v1/incidents', { as: rui })).status, 429);
  const body = { value: 'on', reason: 'a\u0000b' };
  const stopped = await api.call('/api/v1/switches/emergency_stop', { method: 'PUT', as: rui, body });
  assert.equal(stopped.status, 200, stopped.text);
});

describe('what no route can make sense of is the caller’s mistake', () => {
  const cases: Readonly<Record<string, number>> = {
    '/%': 400,
    '/api/v1/incidents?since=0000-01-01T00:00:00Z': 400,
    '/api/v1/incidents?since=9999-13-01T00:00:00Z': 400,
    '/api/v1/incidents?namespace=%00': 400,
    '/api/v1/signals?since=0000-01-01T00:00:00Z': 400,
  };
  for (const [path, status] of Object.entries(cases)) {
    test(path, async () => {
      await using api = await startTestApi();
      const vic = await api.signIn('vic');
      const answer = await api.call(path, { as: vic });
      assert.equal(answer.status, status, answer.text);
      if (status >= 400) assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
    });
  }
});

test('every problem code has its own status and title, and the reference names them all', async () => {
  await using api = await startTestApi();
  const page = await api.call('/docs');
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.ok(!/<script|style=|\son\w+=/.test(page.text));
  for (const code of PROBLEM_CODES) {
    assert.ok(PROBLEMS[code].status >= 400);
    assert.ok(page.text.includes(`<code>${code}</code>`), code);
  }
});
