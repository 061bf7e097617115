import { createHmac } from 'node:crypto';
import {
  type ChannelResult,
  classifyNoAnswer,
  classifyStatus,
  IDEMPOTENCY_HEADER,
  renderBody,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
  textToSign,
} from '@hephaisto/core/delivery/webhook';
import { PRODUCT } from '@hephaisto/core/names';
import type { Clock } from '@hephaisto/core/ports/clock';
import type { HttpClient } from '../http/client.ts';
import type { NotificationChannel } from './channel.ts';

export interface WebhookEndpoint {
  readonly name: string;
  readonly url: string;
  /** Messages are signed with it; unsigned when absent. */
  readonly secret: string | undefined;
}

export interface WebhookChannelOptions {
  readonly http: HttpClient;
  readonly endpoints: readonly WebhookEndpoint[];
  /** Where people reach this installation; asked at each send. */
  readonly publicUrl: () => string;
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** Posts signed JSON. Redirects are not followed: a signed message goes where it was configured to go, or nowhere. */
export function createWebhookChannel(options: WebhookChannelOptions): NotificationChannel {
  const endpoints = new Map(options.endpoints.map((endpoint) => [endpoint.name, endpoint]));
  return {
    async send(recipient, message) {
      const endpoint = endpoints.get(recipient);
      // The route may come back with the next configuration, so the message waits for it.
      if (endpoint === undefined) return { kind: 'Retryable', errorKind: 'endpoint-unknown', retryAfterMs: undefined };
      const body = renderBody(message, options.publicUrl());
      const timestamp = Math.floor(options.clock.now().getTime() / 1000);
      const headers: Record<string, string> = {
        'content-type': 'application/json',
        'user-agent': PRODUCT,
        [IDEMPOTENCY_HEADER]: message.idempotencyKey,
        [TIMESTAMP_HEADER]: String(timestamp),
      };
      if (endpoint.secret !== undefined) {
        const signature = createHmac('sha256', endpoint.secret).update(textToSign(timestamp, body)).digest('hex');
        headers[SIGNATURE_HEADER] = `sha256=${signature}`;
      }
      return await post(options.http, endpoint.url, headers, body, options.timeoutMs);
    },
  };
}

async function post(
  http: HttpClient,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMs: number,
): Promise<ChannelResult> {
  const deadlines = { totalMs: timeoutMs };
  const opened = await http.open({ base: url, method: 'POST', headers, body, deadlines });
  if (opened.kind === 'failure') return classifyNoAnswer(opened.sent, opened.reason);
  // Only the status counts, and the rest may be long.
  opened.value.body.destroy();
  const seconds = Number(opened.value.headers['retry-after'] ?? Number.NaN);
  return classifyStatus(opened.value.status, Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined);
}
