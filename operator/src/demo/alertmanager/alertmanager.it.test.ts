import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createPace } from '../pace.ts';
import type { AlertUpdate } from './alert.ts';
import { type Alertmanager, startAlertmanager } from './alertmanager.ts';
import type { WebhookBody } from './webhook-body.ts';
import type { SendOutcome } from './webhook-sender.ts';

interface Received {
  readonly body: WebhookBody;
  readonly authorization: string | undefined;
}

const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

/** A product that answers with these codes, then with 200. */
async function receiver(codes: readonly number[]) {
  const left = [...codes];
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as WebhookBody;
      received.push({ body, authorization: request.headers.authorization });
      response.writeHead(left.shift() ?? 200);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(() => resolve())));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/alertmanager`, received };
}

function update(ended: boolean): AlertUpdate {
  const startsAt = new Date('2026-11-30T12:00:00Z');
  const base = { labels: { alertname: 'X', namespace: 'shop' }, annotations: {}, startsAt, generatorURL: 'http://p' };
  return ended ? { ...base, endsAt: new Date('2026-11-30T12:05:00Z') } : base;
}

async function start(
  codes: readonly number[],
  wanted: number,
): Promise<{ am: Alertmanager; got: Received[]; outcomes: SendOutcome[]; enough: Promise<void> }> {
  const outcomes: SendOutcome[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const am = await startAlertmanager({
    pace: createPace(100),
    timing: { groupWait: 1, groupInterval: 4, repeatInterval: 10 },
    onSent: (outcome) => {
      outcomes.push(outcome);
      if (outcomes.length === wanted) resolve();
    },
  });
  closing.push(() => am.close());
  const { url, received } = await receiver(codes);
  am.setReceiver({ url, token: 'secret-token' });
  return { am, got: received, outcomes, enough: promise };
}

test('an alert is posted firing, repeated while it fires, and resolved once', async () => {
  const { am, got, outcomes, enough } = await start([], 3);
  am.put([update(false)]);
  const repeated = setInterval(() => {
    if (outcomes.length === 2) am.put([update(true)]);
  }, 5);
  await enough;
  clearInterval(repeated);
  assert.deepEqual(
    got.map(({ body }) => body.status),
    ['firing', 'firing', 'resolved'],
  );
  assert.equal(got[0]?.authorization, 'Bearer secret-token');
  assert.equal(got[0]?.body.externalURL, am.url);
});

test('a refusal by 503 is tried again within the same notification, one by 400 is not', async () => {
  const busy = await start([503], 1);
  busy.am.put([update(false)]);
  await busy.enough;
  assert.deepEqual(busy.outcomes, [{ kind: 'delivered', tries: 2 }]);

  const refusing = await start([400], 1);
  refusing.am.put([update(false)]);
  await refusing.enough;
  assert.deepEqual(refusing.outcomes, [
    { kind: 'given-up', reason: 'refused', message: 'unexpected status code 400', tries: 1 },
  ]);
});

test('the API lists what fires and says that it is ready', async () => {
  const { am } = await start([], 1);
  am.put([update(false)]);
  const list = async () =>
    (await (await fetch(`${am.url}/api/v2/alerts?filter=alertname%3D%22X%22`)).json()) as unknown[];
  assert.equal((await list()).length, 1);
  am.put([update(true)]);
  assert.equal((await list()).length, 0);
  assert.equal(await (await fetch(`${am.url}/-/ready`)).text(), 'OK');
  assert.deepEqual(await (await fetch(`${am.url}/api/v2/silences`)).json(), []);
  assert.equal((await fetch(`${am.url}/api/v2/nothing`)).status, 404);
  assert.equal((await fetch(`${am.url}/api/v2/alerts`, { method: 'DELETE' })).status, 405);
});
