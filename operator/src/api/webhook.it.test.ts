import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NO_FAULTS } from '@hephaisto/core/ports/fault-points';
import { systemTimers } from '@hephaisto/operator/adapters/clock/clock';
import { alert, webhookBody } from '@hephaisto/test/alerts';
import { type ApiUnderTest, SILENT, startTestApi, WEBHOOK_TOKEN } from '@hephaisto/test/api';
import { createTestDatabase } from '@hephaisto/test/database';
import { receiveAlertmanager } from '../sources/receive-alertmanager.ts';

const MIB = 1024 * 1024;

describe('the webhook over HTTP', () => {
  let api: ApiUnderTest;
  before(async () => {
    const db = await createTestDatabase();
    const deps = {
      db,
      timers: systemTimers,
      log: SILENT,
      metrics: { count() {}, observe() {}, gauge() {} },
      faults: NO_FAULTS,
      random: () => 0.5,
    };
    api = await startTestApi({
      db,
      config: { ingest: { alerts: { maxBodyMib: 1 } } },
      deps: { receiveWebhook: ({ body, sender }) => receiveAlertmanager(deps, { body, sender, maxBytes: MIB }) },
    });
  });
  after(() => api[Symbol.asyncDispose]());

  async function post(
    body: Uint8Array | string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; code: unknown; detail: unknown }> {
    const answer = await fetch(`${api.url}/webhooks/alertmanager`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${WEBHOOK_TOKEN}`, 'content-type': 'application/json', ...headers },
    });
    const given = (await answer.json()) as { code?: unknown; detail?: unknown };
    return { status: answer.status, code: given.code, detail: given.detail };
  }

  const stored = async () => (await api.db.query<{ n: number }>('SELECT count(*)::int AS n FROM intake'))[0]?.n;

  test('a body is stored before it is answered, whatever its content type says', async () => {
    const body = webhookBody([alert({ labels: { alertname: 'A' } })]);
    for (const type of ['application/json', 'text/plain', 'application/octet-stream']) {
      const before = (await stored()) ?? 0;
      assert.equal((await post(body, { 'content-type': type })).status, 200);
      assert.equal(await stored(), before + 1);
    }
  });

  const REFUSED: Readonly<Record<string, readonly [() => string | Uint8Array, number, string, RegExp]>> = {
    'what is no JSON': [() => '{"alerts": [', 400, 'webhook-refused', /expected a JSON body/],
    'an empty body': [() => '', 400, 'webhook-refused', /expected/],
    'what has no alerts': [() => '{"text":"custom template"}', 400, 'webhook-refused', /expected a list `alerts`/],
    'what nests a thousand deep': [
      () => `{"alerts":${'['.repeat(1000)}${']'.repeat(1000)}}`,
      400,
      'webhook-refused',
      /expected/,
    ],
    'what is somewhat too large': [() => 'x'.repeat(MIB + 1), 413, 'body-too-large', /lower max_alerts/],
    'what is far too large': [() => 'x'.repeat(20 * MIB), 413, 'body-too-large', /./],
  };
  for (const [sentence, [body, status, code, detail]] of Object.entries(REFUSED)) {
    test(`${sentence} is answered ${status} and not stored`, async () => {
      const before = await stored();
      const answer = await post(body());
      assert.deepEqual([answer.status, answer.code], [status, code]);
      assert.match(String(answer.detail), detail);
      assert.equal(await stored(), before);
    });
  }

  test('without its token nothing is taken, and a session is none', async () => {
    const body = webhookBody([alert({ labels: { alertname: 'A' } })]);
    const ada = await api.signIn('ada');
    for (const headers of [
      { authorization: '' },
      { authorization: 'Bearer wrong' },
      { authorization: '', cookie: ada.cookie },
    ])
      assert.deepEqual((await post(body, headers)).code, 'unauthenticated');
  });
});

test('a database that does not take the body makes the sender come again', async () => {
  await using api = await startTestApi({
    deps: { receiveWebhook: async () => ({ kind: 'unavailable', retryAfterSeconds: 7, message: 'not now' }) },
  });
  const answer = await api.call('/webhooks/alertmanager', {
    body: {},
    headers: { authorization: `Bearer ${WEBHOOK_TOKEN}` },
  });
  assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '7']);
});
