import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import type { Route } from '@hephaisto/core/delivery/route';
import type { ChannelResult } from '@hephaisto/core/delivery/webhook';
import { alert, webhookBody } from '@hephaisto/test/alerts';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { intakeLine } from '@hephaisto/test/intake-line';
import { addLocalCluster, drain, type QuietDeps, quietDeps } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { eventually } from '@hephaisto/test/watch-world';
import { createHttpClient } from '../http/client.ts';
import type { NotificationChannel } from './channel.ts';
import { createNotifyStage, type NotifyStageConfig } from './dispatcher.ts';
import { createWebhookChannel } from './webhook-channel.ts';

const HTTP = createHttpClient();
after(() => HTTP.close());

const ESCALATIONS: Route = {
  name: 'escalations',
  channel: 'webhook',
  recipient: 'ops',
  states: ['Escalated'],
  severities: [],
  namespaces: [],
  onUnknown: 'resend',
};

const TIMES: NotifyStageConfig = {
  cooldownMs: 900_000,
  windowMs: 600_000,
  perWindow: 30,
  firstMs: 10_000,
  longestMs: 900_000,
  giveUpAfterMs: 86_400_000,
  timeoutMs: 1_000,
};

interface World {
  readonly db: TestDatabase;
  readonly deps: QuietDeps;
  /** Escalates an incident of that Deployment. */
  escalate(deployment: string, start?: number): Promise<void>;
  /** Sends what is due over the channel. */
  dispatch(channel: NotificationChannel, over?: Partial<NotifyStageConfig>): Promise<void>;
  deliveries(): Promise<
    readonly { status: string; attempts: number; suppressed_reason: string | null; error_kind: string | null }[]
  >;
}

async function world(use: (world: World) => Promise<void>, route: Partial<Route> = {}): Promise<void> {
  await using db = await createTestDatabase();
  await addLocalCluster(db);
  const deps = quietDeps(db, [{ ...ESCALATIONS, ...route }]);
  const line = intakeLine(deps, { agentMode: () => 'off', times: { stormLimit: 1_000, flapLimit: 1_000, burst: 0 } });
  await use({
    db,
    deps,
    async escalate(deployment, start = 0) {
      const labels = { alertname: 'KubePodCrashLooping', namespace: 'shop', deployment };
      const startsAt = new Date(Date.UTC(2026, 10, 30, 9, start)).toISOString();
      await line.settle(webhookBody([alert({ labels, startsAt })]));
    },
    async dispatch(channel, over = {}) {
      await drain(
        createNotifyStage({ ...deps, channels: { webhook: channel }, random: () => 0.5 }, { ...TIMES, ...over }),
      );
    },
    deliveries: () =>
      db.query(
        'SELECT status, attempts, suppressed_reason, error_kind FROM notification_deliveries ORDER BY created_at, id',
      ),
  });
}

function answering(...results: readonly ChannelResult[]): NotificationChannel & { readonly sent: string[] } {
  const sent: string[] = [];
  return {
    sent,
    async send(_recipient, message) {
      sent.push(JSON.stringify(message));
      return results[Math.min(sent.length, results.length) - 1] ?? { kind: 'Delivered', externalRef: {} };
    },
  };
}

const OK: ChannelResult = { kind: 'Delivered', externalRef: { status: 200 } };
const LATER: ChannelResult = { kind: 'Retryable', errorKind: 'http-503', retryAfterMs: undefined };

describe('sending what is owed', { timeout: 120_000 }, () => {
  it('sends each message once', async () => {
    verifies('H3-151');
    await world(async ({ escalate, dispatch, deliveries }) => {
      await escalate('web');
      const channel = answering(OK);
      await dispatch(channel);
      await dispatch(channel);
      assert.equal(channel.sent.length, 1);
      assert.deepEqual(
        (await deliveries()).map((d) => [d.status, d.attempts]),
        [['Delivered', 1]],
      );
    });
  });

  it('tries again later with the same bytes, whatever became of the incident meanwhile', async () => {
    await world(async ({ db, escalate, dispatch, deliveries }) => {
      await escalate('web');
      const channel = answering(LATER, LATER, OK);
      await dispatch(channel);
      assert.equal((await deliveries())[0]?.status, 'Pending');
      await dispatch(channel);
      assert.equal(channel.sent.length, 1, 'not before it is due');
      await db.execute(`UPDATE incidents SET title = 'something else', severity = 'info'`);
      await db.moveClock('11 seconds');
      await dispatch(channel);
      await db.moveClock('60 seconds');
      await dispatch(channel);
      assert.equal(new Set(channel.sent).size, 1);
      assert.deepEqual(
        (await deliveries()).map((d) => [d.status, d.attempts]),
        [['Delivered', 3]],
      );
    });
  });

  it('a receiver that asks for a pause beyond all reckoning neither fails the stage nor keeps its message for ever', async () => {
    await world(async ({ db, escalate, dispatch, deliveries }) => {
      await escalate('web');
      const endless: ChannelResult = { kind: 'Retryable', errorKind: 'http-503', retryAfterMs: 1e303 };
      const channel = answering(endless);
      await dispatch(channel);
      assert.equal((await deliveries())[0]?.status, 'Pending');
      await db.moveClock('24 hours 1 minute');
      await dispatch(channel);
      assert.deepEqual(
        (await deliveries()).map((d) => [d.status, d.attempts]),
        [['Failed', 2]],
      );
    });
  });

  it('gives up at once on what will never be taken, with a record and an error', async () => {
    await world(async ({ db, deps, escalate, dispatch, deliveries }) => {
      await escalate('web');
      await dispatch(answering({ kind: 'Permanent', errorKind: 'http-410' }));
      assert.deepEqual(
        (await deliveries()).map((d) => [d.status, d.error_kind]),
        [['Failed', 'http-410']],
      );
      assert.deepEqual(await db.query('SELECT verb FROM audit_log'), [{ verb: 'notification.fail' }]);
      assert.equal(deps.complaints.length, 1);
    });
  });

  it('gives up on what nobody took for a day', async () => {
    await world(async ({ db, escalate, dispatch, deliveries }) => {
      await escalate('web');
      await db.moveClock('24 hours');
      await dispatch(answering(LATER));
      assert.equal((await deliveries())[0]?.status, 'Failed');
    });
  });

  const UNKNOWN: Readonly<Record<'resend' | 'hold', number>> = { resend: 2, hold: 1 };
  for (const [onUnknown, sends] of Object.entries(UNKNOWN)) {
    it(`a message of which nobody knows is ${onUnknown === 'hold' ? 'held' : 'sent again with the same key'}`, async () => {
      await world(
        async ({ db, escalate, dispatch }) => {
          await escalate('web');
          const channel = answering({ kind: 'Unknown', errorKind: 'timeout' }, OK);
          await dispatch(channel);
          await db.moveClock('20 minutes');
          await dispatch(channel);
          assert.equal(channel.sent.length, sends);
          assert.equal(new Set(channel.sent).size, 1);
        },
        { onUnknown: onUnknown as 'resend' | 'hold' },
      );
    });
  }

  it('a message whose sender died in the middle is unknown, not forgotten', async () => {
    await world(async ({ db, deps, escalate, dispatch, deliveries }) => {
      await escalate('web');
      const faults = { hit: async (point: string) => assert.notEqual(point, 'notify:sent', 'killed') };
      const stage = createNotifyStage(
        { ...deps, faults, channels: { webhook: answering(OK) }, random: () => 0.5 },
        TIMES,
      );
      await assert.rejects(stage.pass(new AbortController().signal));
      assert.equal((await deliveries())[0]?.status, 'Sending');
      await db.moveClock('1 minute');
      const channel = answering(OK);
      await dispatch(channel);
      assert.equal(channel.sent.length, 1);
      assert.equal((await deliveries())[0]?.status, 'Delivered');
    });
  });

  it('a receiver that hangs does not keep messages from the others, however many wait for it', async () => {
    await world(async ({ db, deps, escalate, deliveries }) => {
      for (let i = 0; i < 12; i += 1) await escalate(`web-${i}`);
      await db.execute(`UPDATE notification_deliveries SET recipient = 'dead'`);
      await escalate('checkout');
      const release = Promise.withResolvers<void>();
      const channel: NotificationChannel = {
        async send(recipient) {
          if (recipient !== 'dead') return OK;
          await release.promise;
          return { kind: 'Unknown', errorKind: 'timeout' };
        },
      };
      const stage = createNotifyStage(
        { ...deps, channels: { webhook: channel }, random: () => 0.5 },
        { ...TIMES, timeoutMs: 60_000 },
      );
      const pass = stage.pass(new AbortController().signal);
      await eventually(
        deliveries,
        (rows) => rows.filter((row) => row.status === 'Delivered').length === 1,
        'the message of the other receiver',
      );
      release.resolve();
      await pass;
      const states = (await deliveries()).map(({ status, attempts }) => `${status} ${attempts}`);
      // The rest of what waits for it has not used up a try.
      assert.ok(states.filter((state) => state === 'Pending 0').length >= 6, states.join());
    });
  });

  it('a channel that never answers is not waited for beyond its deadline', async () => {
    await world(async ({ escalate, dispatch, deliveries }) => {
      await escalate('web');
      await dispatch({ send: () => new Promise(() => undefined) }, { timeoutMs: 50 });
      assert.deepEqual(
        (await deliveries()).map((d) => [d.status, d.error_kind]),
        [['Unknown', 'deadline']],
      );
    });
  });

  it('a message that cannot be read does not keep others from being sent, and ends as a dead letter', async () => {
    await world(async ({ db, escalate, dispatch, deliveries }) => {
      await escalate('web');
      await db.execute(`UPDATE notification_deliveries SET payload = '{}'`);
      await escalate('checkout');
      for (let tries = 0; tries < 5; tries += 1) {
        await dispatch(answering(OK));
        await db.moveClock(`${(tries + 1) * 10} minutes`);
      }
      assert.deepEqual(
        (await deliveries()).map((d) => [d.status, d.error_kind]),
        [
          ['Failed', 'unreadable'],
          ['Delivered', null],
        ],
      );
      assert.deepEqual(await db.query('SELECT verb FROM audit_log'), [{ verb: 'notification.fail' }]);
    });
  });

  it('forty workloads at once: each is told of, though the limit is long reached', async () => {
    await world(async ({ escalate, dispatch, deliveries }) => {
      for (let i = 0; i < 40; i += 1) await escalate(`web-${i}`);
      await dispatch(answering(OK), { perWindow: 5 });
      assert.ok((await deliveries()).every((d) => d.status === 'Delivered'));
    });
  });

  it('repeats about one workload are held back, counted, and stated by the next message', async () => {
    await world(async ({ db, deps, escalate, dispatch, deliveries }) => {
      const channel = answering(OK);
      for (let i = 0; i < 6; i += 1) {
        await db.moveClock(`${i === 5 ? 40 : i} minutes`);
        await escalate('web', i);
        await dispatch(channel);
        await db.transaction(async (tx) => {
          const [open] = await tx.query<{ id: string }>(`SELECT id FROM incidents WHERE state = 'Escalated'`);
          await deps.incidents.transition(tx, {
            incidentId: open?.id ?? '',
            edge: 'I18',
            reason: 'test',
            resolutionSource: 'human',
            actor: 'service:hephaisto/sweeper',
            origin: 'core',
          });
        });
      }
      const states = (await deliveries()).map((d) => d.suppressed_reason ?? d.status);
      const expected = ['Delivered', 'cooldown', 'cooldown', 'cooldown', 'cooldown', 'Delivered'];
      assert.deepEqual(states, expected);
      const last = JSON.parse(channel.sent.at(-1) ?? '{}');
      assert.deepEqual([channel.sent.length, last.suppressedBefore.count], [2, 4]);
    });
  });
});

describe('the signed webhook', { timeout: 30_000 }, () => {
  interface Taken {
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: string;
  }

  async function receiver(status: number, use: (url: string, taken: readonly Taken[]) => Promise<void>): Promise<void> {
    const taken: Taken[] = [];
    const server: Server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        taken.push({ headers: request.headers, body });
        if (status === 0) request.socket.destroy();
        else response.writeHead(status, { 'retry-after': '7', location: 'http://127.0.0.1:1/elsewhere' }).end('x');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, taken);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  const message = {
    payload: { event: { to: 'Escalated' }, incident: { number: 12, id: 'i' } },
    payloadVersion: 1,
    idempotencyKey: 'i/3/all/ops',
    suppressedBefore: undefined,
  };
  const now = new Date('2026-11-30T09:00:00Z');
  const channelTo = (url: string, publicUrl = 'https://h.example') =>
    createWebhookChannel({
      http: HTTP,
      endpoints: [{ name: 'ops', url, secret: 'a long secret' }],
      publicUrl: () => publicUrl,
      timeoutMs: 10_000,
      clock: { now: () => now },
    });

  it('signs the exact bytes with their time, carries its key, and links to where people are now', () =>
    receiver(200, async (url, taken) => {
      assert.equal((await channelTo(url).send('ops', message)).kind, 'Delivered');
      await channelTo(url, 'https://moved.example/').send('ops', message);
      const [first, second] = taken;
      const expected = createHmac('sha256', 'a long secret').update(`1796029200.${first?.body}`).digest('hex');
      assert.equal(first?.headers['x-hephaisto-signature'], `sha256=${expected}`);
      assert.equal(first?.headers['x-hephaisto-timestamp'], String(now.getTime() / 1000));
      assert.equal(first?.headers['idempotency-key'], 'i/3/all/ops');
      const link = (body: string | undefined): string => JSON.parse(body ?? '{}').link;
      assert.deepEqual(
        [link(first?.body), link(second?.body)],
        ['https://h.example/incidents/12', 'https://moved.example/incidents/12'],
      );
      assert.equal(first?.body.replace('h.example', 'moved.example'), second?.body);
    }));

  const ANSWERS: Readonly<Record<string, { status: number; kind: ChannelResult['kind'] }>> = {
    'too many requests': { status: 429, kind: 'Retryable' },
    'not now': { status: 503, kind: 'Retryable' },
    'a server error': { status: 500, kind: 'Unknown' },
    'a broken connection': { status: 0, kind: 'Unknown' },
    'a bad request': { status: 400, kind: 'Permanent' },
    'a redirect, which is not followed': { status: 302, kind: 'Permanent' },
  };
  for (const [name, { status, kind }] of Object.entries(ANSWERS)) {
    it(`${name} is ${kind}, after exactly one request`, () =>
      receiver(status, async (url, taken) => {
        const result = await channelTo(url).send('ops', message);
        assert.equal(result.kind, kind);
        if (result.kind === 'Retryable') assert.equal(result.retryAfterMs, 7_000);
        assert.equal(taken.length, 1);
      }));
  }

  it('nobody there is Retryable, since nothing was sent', async () => {
    let port = 0;
    await receiver(200, async (url) => {
      port = Number(new URL(url).port);
    });
    assert.equal((await channelTo(`http://127.0.0.1:${port}/`).send('ops', message)).kind, 'Retryable');
  });
});
