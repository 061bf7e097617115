import type { Timers } from '@hephaisto/core/ports/clock';
import type { Database } from '@hephaisto/core/ports/database';
import { StoreUnavailable } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import type { Logger, Metrics } from '@hephaisto/core/ports/telemetry';
import { readEnvelopeInSteps } from '@hephaisto/core/signal/alertmanager';
import { inTurns } from '../flow/event-loop-turns.ts';
import { storeBody } from './intake-writer.ts';
import { sha256Hex } from './sha256.ts';
import { wakeIngest } from './wake-ingest.ts';

export interface ReceiveDeps {
  readonly db: Database;
  readonly timers: Timers;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly faults: FaultPoints;
  /** 0…1; spreads the retries of senders that were turned away together. */
  readonly random: () => number;
}

const LARGE_BYTES = 1024 * 1024;

export interface WebhookDelivery {
  readonly body: Uint8Array;
  /** Who sent it: the authenticated sender's name, or the address. */
  readonly sender: string;
  /** Largest body in bytes. */
  readonly maxBytes: number;
  /** The trace it came in. */
  readonly traceparent?: string | undefined;
}

export type Received =
  | { readonly kind: 'stored'; readonly id: number; readonly alerts: number }
  | {
      readonly kind: 'rejected';
      readonly status: 400 | 413;
      readonly reason: 'too-large' | 'not-json' | 'too-deep' | 'not-an-object' | 'no-alerts';
      readonly message: string;
    }
  | { readonly kind: 'unavailable'; readonly retryAfterSeconds: number; readonly message: string };

/**
 * Takes a delivery in: after `stored` it will not be lost, whatever happens to this process. `rejected` only for what no later attempt
 * could bring in; everything else that goes wrong is `unavailable`, so that the sender tries again.
 */
export async function receiveAlertmanager(deps: ReceiveDeps, delivery: WebhookDelivery): Promise<Received> {
  const received = await take(deps, delivery);
  const outcome = received.kind === 'rejected' ? received.reason : received.kind;
  deps.metrics.count(
    'alerts_received_total',
    { source: 'alertmanager', outcome },
    received.kind === 'stored' ? received.alerts : 1,
  );
  return received;
}

async function take(deps: ReceiveDeps, delivery: WebhookDelivery): Promise<Received> {
  if (delivery.body.byteLength > delivery.maxBytes) {
    const message = `expected a body of at most ${delivery.maxBytes} bytes, found ${delivery.body.byteLength}; lower max_alerts in the receiver`;
    return { kind: 'rejected', status: 413, reason: 'too-large', message };
  }
  // Decoding, reading and hashing the largest body take tens of milliseconds each; probes are answered between them.
  const isLarge = delivery.body.byteLength > LARGE_BYTES;
  const text = new TextDecoder().decode(delivery.body);
  if (isLarge) await deps.timers.sleep(0);
  const read = await inTurns(readEnvelopeInSteps(text), () => deps.timers.sleep(0));
  if (read.kind === 'refused') return { kind: 'rejected', status: 400, reason: read.reason, message: read.message };
  const { alerts, truncatedAlerts, groupKey, receiver } = read.envelope;
  if (isLarge) await deps.timers.sleep(0);
  try {
    const id = await storeBody(deps, {
      sender: delivery.sender,
      body: text,
      sha256: sha256Hex(delivery.body),
      alerts: alerts.length,
      truncated: truncatedAlerts,
      groupKey,
      receiver,
      traceparent: delivery.traceparent,
    });
    wakeIngest(deps.db, deps.timers);
    return { kind: 'stored', id, alerts: alerts.length };
  } catch (error: unknown) {
    // Also what the database refuses: a sender that is told 400 never comes back, and the refusal may be our own mistake.
    deps.log.error('webhook could not be stored', { error, retryable: error instanceof StoreUnavailable });
    const retryAfterSeconds = 2 + Math.floor(deps.random() * 8);
    return { kind: 'unavailable', retryAfterSeconds, message: 'the alerts could not be stored; send them again' };
  }
}
