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
import type { NotificationChannel } from './channel.ts';

export interface WebhookEndpoint {
  readonly name: string;
  readonly url: string;
  /** Messages are signed with it; unsigned when absent. */
  readonly secret: string | undefined;
}

export interface WebhookChannelOptions {
  readonly endpoints: readonly WebhookEndpoint[];
  /** Where people reach this installation; asked at each send. */
  readonly publicUrl: () => string;
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** Failures that come before the receiver can have read anything. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

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
      return await post(endpoint.url, headers, body, options.timeoutMs);
    },
  };
}

async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMs: number,
): Promise<ChannelResult> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    // What the receiver says beyond its status is nobody's business, and may be long.
    await answer.body?.cancel();
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
    return classifyStatus(answer.status, Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined);
  } catch (error: unknown) {
    const code = codeOf(error);
    return classifyNoAnswer(!NEVER_SENT.has(code), code);
  }
}

function codeOf(error: unknown): string {
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 4; depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    if ('name' in at && at.name === 'TimeoutError') return 'timeout';
    at = 'cause' in at ? at.cause : undefined;
  }
  return 'broken';
}
