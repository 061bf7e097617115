import type { Pace } from '../pace.ts';
import type { WebhookBody } from './webhook-body.ts';

/** Where notifications go. */
export interface Receiver {
  readonly url: string;
  readonly token: string;
}

export type SendOutcome =
  | { readonly kind: 'delivered'; readonly tries: number }
  | {
      readonly kind: 'given-up';
      readonly reason: 'refused' | 'no-success-in-time';
      readonly message: string;
      readonly tries: number;
    };

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
const ONE_TRY_MS = 10_000;

/**
 * Posts until a 2xx, until `deadlineMs` (uncompressed) has passed, or until an answer says that a repeat is useless: only 5xx
 * and silence are tried again.
 */
export async function sendWebhook(
  receiver: Receiver,
  body: WebhookBody,
  pace: Pace,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const until = pace.now().getTime() + deadlineMs;
  const text = JSON.stringify(body);
  let message = 'no answer';
  for (let tries = 1, wait = FIRST_WAIT_MS; ; tries += 1, wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      const response = await fetch(receiver.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${receiver.token}`,
          'user-agent': 'Alertmanager/simulated',
        },
        body: text,
        signal: AbortSignal.any([signal, AbortSignal.timeout(ONE_TRY_MS)]),
      });
      await response.arrayBuffer();
      if (response.ok) return { kind: 'delivered', tries };
      message = `unexpected status code ${response.status}`;
      if (response.status < 500) return { kind: 'given-up', reason: 'refused', message, tries };
    } catch (error) {
      message = error instanceof Error ? error.message : String(error);
    }
    if (signal.aborted || pace.now().getTime() + wait > until) {
      return { kind: 'given-up', reason: 'no-success-in-time', message, tries };
    }
    // the wait protects a real server and is therefore real
    await pace.sleep(wait * pace.speed, signal).catch(() => undefined);
  }
}
