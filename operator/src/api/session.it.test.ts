import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { type ApiUnderTest, startTestApi } from '@hephaisto/test/api';
import { insertIncident } from '@hephaisto/test/incident-rows';

/** The status for headers that `fetch` does not let anybody set. */
function rawStatus(url: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const call = request({ hostname, port, path, headers, setHost: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on('error', reject);
    call.end();
  });
}

describe('sessions', () => {
  let api: ApiUnderTest;
  before(async () => {
    api = await startTestApi();
  });
  after(() => api[Symbol.asyncDispose]());

  test('of fifty who spend one link at the same moment one gets a session', async () => {
    const token = await api.link('ana');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => api.call('/api/v1/session', { body: { token } })),
    );
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
    assert.deepEqual(
      new Set(answers.filter((a) => a.status !== 200).map((a) => a.body.code)),
      new Set(['link-invalid']),
    );
  });

  test('a link too old opens nothing', async () => {
    const token = await api.link('ana');
    await api.db.moveClock('11 minutes');
    const answer = await api.call('/api/v1/session', { body: { token } });
    await api.db.moveClock('0');
    assert.equal(answer.body.code, 'link-invalid');
  });

  test('following a link changes nothing; pressing its button signs in', async () => {
    const token = await api.link('ben');
    for (let n = 0; n < 2; n += 1) {
      const opened = await api.call(`/sign-in?token=${token}`);
      assert.equal(opened.status, 200);
      assert.match(opened.text, /<button type="submit">/);
      assert.match(opened.text, /As <strong>Ben<\/strong>, approver\./, 'it says who it is for');
    }
    const form = {
      method: 'POST',
      body: `token=${token}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: api.url },
    };
    const pressed = await api.call('/sign-in', form);
    assert.equal(pressed.status, 303);
    assert.match(pressed.headers.get('set-cookie') ?? '', /HttpOnly; SameSite=Lax/);
    const again = await api.call('/sign-in', form);
    assert.equal(again.status, 401);
    assert.match(again.text, /data-state="used"/);
  });

  test('a link that cannot be spent says so as soon as it is opened, and offers no button', async () => {
    const used = await api.link('ben');
    await api.call('/api/v1/session', { body: { token: used } });
    const opened = await api.call(`/sign-in?token=${used}`);
    assert.match(opened.text, /data-state="used"/);
    assert.doesNotMatch(opened.text, /<button/);
    const old = await api.link('ben');
    await api.db.moveClock('11 minutes');
    const late = await api.call(`/sign-in?token=${old}`);
    await api.db.moveClock('0');
    assert.match(late.text, /data-state="expired"/);
    assert.match((await api.call(`/sign-in?token=${'x'.repeat(40)}`)).text, /data-state="unknown"/);
  });

  test('nothing secret is kept: neither link, nor session, nor token can be read back', async () => {
    const token = await api.link('ana');
    const answer = await api.call('/api/v1/session', { body: { token } });
    const session = /hephaisto_session=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? '';
    const kept = JSON.stringify([
      await api.db.query(`SELECT encode(token_sha256, 'escape') AS t FROM sign_in_links`),
      await api.db.query(
        `SELECT encode(token_sha256, 'escape') AS t, encode(csrf_sha256, 'escape') AS c FROM web_sessions`,
      ),
    ]);
    for (const secret of [token, session, String(answer.body.csrfToken)])
      assert.ok(secret.length > 20 && !kept.includes(secret));
  });

  test('a session ends when signed out, when idle and when its life is over', async () => {
    const out = await api.signIn('vic');
    assert.equal((await api.call('/api/v1/session', { as: out, method: 'DELETE' })).status, 200);
    assert.equal((await api.call('/api/v1/session', { as: out })).status, 401);
    const idle = await api.signIn('vic');
    await api.db.moveClock('3 hours');
    assert.equal((await api.call('/api/v1/session', { as: idle })).status, 401);
    await api.db.moveClock('0');
    const busy = await api.signIn('vic');
    for (let hour = 1; hour <= 11; hour += 1) {
      await api.db.moveClock(`${hour} hours`);
      assert.equal((await api.call('/api/v1/session', { as: busy })).status, 200, `after ${hour} hours`);
    }
    await api.db.moveClock('12 hours 1 minute');
    assert.equal((await api.call('/api/v1/session', { as: busy })).status, 401);
    await api.db.moveClock('0');
  });

  test('a write without the token of its session is refused, a read is not', async () => {
    const rui = await api.signIn('rui');
    const id = await insertIncident(api.db);
    const note = { as: rui, body: { text: 'x' } };
    assert.equal(
      (await api.call(`/api/v1/incidents/${id}/note`, { ...note, withoutCsrf: true })).body.code,
      'csrf-refused',
    );
    const foreign = await api.signIn('vic');
    assert.equal(
      (
        await api.call(`/api/v1/incidents/${id}/note`, {
          ...note,
          withoutCsrf: true,
          headers: { 'x-csrf-token': foreign.csrfToken },
        })
      ).body.code,
      'csrf-refused',
    );
    assert.equal((await api.call(`/api/v1/incidents/${id}/note`, note)).status, 200);
    assert.equal((await api.call('/api/v1/incidents', { as: rui, withoutCsrf: true })).status, 200);
  });

  test('a write that another site caused is refused, whatever cookie it carries', async () => {
    const rui = await api.signIn('rui');
    const id = await insertIncident(api.db);
    const from = (headers: Record<string, string>) =>
      api.call(`/api/v1/incidents/${id}/note`, { as: rui, body: { text: 'x' }, headers });
    assert.equal((await from({ origin: 'https://evil.example' })).body.code, 'origin-refused');
    assert.equal((await from({ origin: 'null' })).body.code, 'origin-refused');
    assert.equal((await from({ origin: api.url })).status, 200);
    const token = await api.link('ana');
    const signIn = await api.call('/api/v1/session', { body: { token }, headers: { origin: 'https://evil.example' } });
    assert.equal(signIn.body.code, 'origin-refused');
  });

  test('a name that is not ours is refused, except where addresses are used', async () => {
    assert.equal(await rawStatus(api.url, '/api/v1/incidents', { host: 'rebound.example' }), 421);
    assert.equal(await rawStatus(api.url, '/docs', { host: '' }), 421);
    assert.equal(await rawStatus(api.url, '/livez', { host: '10.0.0.7:8080' }), 200);
    const { port } = new URL(api.url);
    assert.equal(await rawStatus(api.url, '/docs', { host: `localhost:${port}` }), 200);
  });

  test('a program’s token is shown once, works until it is revoked, and needs no CSRF token', async () => {
    const ada = await api.signIn('ada');
    const made = await api.call('/api/v1/tokens', { as: ada, body: { principal: 'ci-bot', role: 'responder' } });
    assert.equal(made.status, 201);
    const bearer = { authorization: `Bearer ${String(made.body.token)}` };
    const id = await insertIncident(api.db);
    assert.equal(
      (await api.call(`/api/v1/incidents/${id}/note`, { body: { text: 'x' }, headers: bearer })).status,
      200,
    );
    assert.deepEqual(api.commanded.at(-1)?.command.origin, 'api');
    assert.ok(!JSON.stringify((await api.call('/api/v1/tokens', { as: ada })).body).includes(String(made.body.token)));
    assert.equal((await api.call(`/api/v1/tokens/${String(made.body.id)}`, { as: ada, method: 'DELETE' })).status, 200);
    assert.equal((await api.call('/api/v1/session', { headers: bearer })).status, 401);
    const own = await api.call('/api/v1/tokens', {
      as: ada,
      body: { principal: 'service:hephaisto/actor', role: 'admin' },
    });
    assert.equal(own.body.code, 'invalid-value');
  });

  test('a secret that was given out is kept nowhere, not even for a repeated request', async () => {
    const ada = await api.signIn('ada');
    const send = (path: string, body: unknown) =>
      api.call(path, { as: ada, body, headers: { 'idempotency-key': 'secret' } });
    const token = String((await send('/api/v1/tokens', { principal: 'ci-key', role: 'viewer' })).body.token);
    const link = String((await send('/api/v1/sign-in-links', { principal: 'vic' })).body.path).split('token=')[1] ?? '';
    const kept = JSON.stringify(await api.db.query('SELECT body FROM idempotency_keys'));
    assert.ok(token.length > 40 && link.length > 40);
    assert.ok(!kept.includes(token) && !kept.includes(link));
    assert.equal((await api.call('/api/v1/session', { body: { token: link } })).body.subject, 'vic');
    const made = await api.db.query("SELECT actor, subject_id FROM audit_log WHERE verb = 'sign-in-link.create'");
    assert.deepEqual(made, [{ actor: 'ada', subject_id: 'vic' }]);
  });

  test('a token too old is none', async () => {
    const ada = await api.signIn('ada');
    const made = await api.call('/api/v1/tokens', {
      as: ada,
      body: { principal: 'ci-old', role: 'viewer', expiresInSeconds: 60 },
    });
    const headers = { authorization: `Bearer ${String(made.body.token)}` };
    assert.equal((await api.call('/api/v1/session', { headers })).status, 200);
    await api.db.moveClock('61 seconds');
    assert.equal((await api.call('/api/v1/session', { headers })).status, 401);
    await api.db.moveClock('0');
  });
});

test('the cluster’s word makes an admin of whoever carries the configured group, and of nobody else', async () => {
  let asked = 0;
  await using api = await startTestApi({
    config: { server: { port: 0 }, auth: { tokenReview: { adminGroup: 'sre' } } },
    deps: {
      reviewToken: async (token) => {
        asked += 1;
        if (token === 'away') return { kind: 'refused', reason: 'cluster-unavailable', message: 'no answer' };
        if (token === 'unknown') return { kind: 'refused', reason: 'token-refused', message: 'not ours' };
        return { kind: 'accepted', username: 'kim', groups: token === 'good' ? ['sre'] : ['dev'] };
      },
    },
  });
  const as = (token: string) => api.call('/api/v1/session', { headers: { authorization: `Bearer ${token}` } });
  const good = await as('good');
  assert.deepEqual([good.body.subject, good.body.grants], ['kubernetes:kim', [{ role: 'admin', namespace: '' }]]);
  await as('good');
  assert.equal(asked, 1);
  assert.deepEqual([(await as('weak')).status, (await as('unknown')).status], [401, 401]);
  assert.equal((await as('away')).body.code, 'cluster-unavailable');
});
