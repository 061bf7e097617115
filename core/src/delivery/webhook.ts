import { joinBasePath } from '../base-path.ts';

/** Headers of an outgoing message. The receiver recomputes the signature over `timestamp.body` and refuses old timestamps. */
export const SIGNATURE_HEADER = 'x-hephaisto-signature';
export const TIMESTAMP_HEADER = 'x-hephaisto-timestamp';
export const IDEMPOTENCY_HEADER = 'idempotency-key';

/** The exact text that is signed. The timestamp is inside, so that an old message cannot be sent again as a new one. */
export function textToSign(timestampSeconds: number, body: string): string {
  return `${timestampSeconds}.${body}`;
}

export interface RenderedMessage {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly payloadVersion: number;
  readonly idempotencyKey: string;
  /** Repeats that were held back since the last message about the workload. */
  readonly suppressedBefore: { readonly count: number; readonly since: Date } | undefined;
}

/**
 * The body as sent: the frozen payload, the link, and what was held back. The link is made here and not when the message was owed, so
 * that correcting the public address corrects what still waits.
 */
export function renderBody(message: RenderedMessage, publicUrl: string): string {
  const incident = message.payload.incident as { readonly number?: unknown } | undefined;
  const held = message.suppressedBefore;
  return JSON.stringify({
    ...message.payload,
    version: message.payloadVersion,
    id: message.idempotencyKey,
    link: joinBasePath(publicUrl, `/incidents/${String(incident?.number ?? '')}`).href,
    ...(held === undefined
      ? {}
      : { note: `${held.count} suppressed since ${held.since.toISOString()}`, suppressed: held.count }),
  });
}

/** What the receiver's answer, or its absence, means for a message. */
export type ChannelResult =
  | { readonly kind: 'Delivered'; readonly externalRef: Readonly<Record<string, unknown>> }
  | { readonly kind: 'Retryable'; readonly errorKind: string; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'Permanent'; readonly errorKind: string }
  | { readonly kind: 'Unknown'; readonly errorKind: string };

/** Retryable only where the receiver certainly did not take the message; a server error after the request was read tells nothing. */
export function classifyStatus(status: number, retryAfterMs: number | undefined): ChannelResult {
  if (status >= 200 && status < 300) return { kind: 'Delivered', externalRef: { status } };
  const errorKind = `http-${status}`;
  if (status === 429 || status === 503 || status === 425) return { kind: 'Retryable', errorKind, retryAfterMs };
  if (status >= 500 || status === 408) return { kind: 'Unknown', errorKind };
  return { kind: 'Permanent', errorKind };
}

/** Where no answer came: `sent` says whether the receiver may have read the request. */
export function classifyNoAnswer(sent: boolean, errorKind: string): ChannelResult {
  return sent ? { kind: 'Unknown', errorKind } : { kind: 'Retryable', errorKind, retryAfterMs: undefined };
}
