import { type BackoffTimes, nextTry } from '@hephaisto/core/delivery/backoff';
import { judgeNotify, type NotifyLimits } from '@hephaisto/core/delivery/controls';
import type { ChannelResult, RenderedMessage } from '@hephaisto/core/delivery/webhook';
import { type Sql, StoreUnavailable } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { appendAudit } from '../flow/incident-log/audit.ts';
import type { Stage, StageDeps } from '../flow/stage.ts';
import type { NotificationChannel } from './channel.ts';
import {
  claimForSending,
  type DeliveryRow,
  failUnsent,
  gatherNotifyFacts,
  lockNextDue,
  lockSubject,
  markSent,
  postponeUnreadable,
  reapSending,
  settleSending,
  subjectOf,
  suppress,
} from './delivery-rows.ts';
import { createReceivers, receiverKey } from './receivers.ts';

/** Milliseconds and counts, as configured. */
export interface NotifyStageConfig extends NotifyLimits, BackoffTimes {
  /** Longest time that one send can take. */
  readonly timeoutMs: number;
}

interface Claimed {
  readonly row: DeliveryRow;
  readonly runId: string;
  readonly message: RenderedMessage;
}

/** A sender that has not settled its message after so many of its own timeouts is taken for dead. */
const TIMEOUTS_UNTIL_DEAD = 4;
/** A channel that has not answered after so many of its own timeouts is not waited for any longer. */
const TIMEOUTS_OF_A_SEND = 2;
const TRIES_OF_UNREADABLE = 5;
/** While messages are under way, how soon another that is due is noticed. */
const LOOK_AROUND_MS = 200;

type Next =
  | { readonly kind: 'claimed'; readonly claimed: Claimed }
  | { readonly kind: 'settled'; readonly suppressed?: DeliveryRow }
  | { readonly kind: 'none' };

/**
 * Sends what is owed: claims due messages, sends each once, and writes what came of it. The only place that tries a message again. Receivers do not wait
 * for each other: each has places of its own, a deadline, and a rest of its own while it does not answer.
 */
export function createNotifyStage(
  deps: StageDeps & {
    readonly channels: Readonly<Record<string, NotificationChannel>>;
    /** 0…1. */
    readonly random: () => number;
  },
  config: NotifyStageConfig,
): Stage {
  const receivers = createReceivers(() => deps.clock.monotonicMs());

  /** One message a transaction: a row that cannot be read must not keep the others from being sent. */
  async function claimNext(): Promise<Next> {
    const blocked = receivers.blocked();
    if (blocked === undefined) return { kind: 'none' };
    let at: DeliveryRow | undefined;
    let next: Next;
    try {
      next = await deps.db.transaction(async (tx) => {
        at = await lockNextDue(tx, blocked);
        return at === undefined ? { kind: 'none' } : await claim(tx, at);
      });
      await deps.faults.hit('notify:claimed');
      if (next.kind === 'settled' && next.suppressed !== undefined)
        deps.metrics.count('notifications_total', { channel: next.suppressed.channel, result: 'suppressed' });
    } catch (error: unknown) {
      if (at === undefined || error instanceof StoreUnavailable) throw error;
      await postpone(at, error);
      next = { kind: 'settled' };
    }
    return next;
  }

  async function claim(tx: Sql, row: DeliveryRow): Promise<Next> {
    if (row.attempts > 0 && row.age_ms >= config.giveUpAfterMs + config.longestMs) {
      await failUnsent(tx, row.id, 'gave-up');
      await recordFailure(tx, row, 'gave-up');
      return { kind: 'settled' };
    }
    const subject = subjectOf(row.payload);
    const state = await lockSubject(tx, subject);
    const facts = await gatherNotifyFacts(tx, row, subject, state, config.windowMs);
    const verdict = row.attempts === 0 ? judgeNotify(facts, config) : ({ kind: 'send' } as const);
    if (verdict.kind === 'suppress') {
      await suppress(tx, row, subject, verdict.reason);
      return { kind: 'settled', suppressed: row };
    }
    const runId = deps.ids.uuid();
    await claimForSending(tx, row.id, runId, config.timeoutMs * TIMEOUTS_UNTIL_DEAD);
    const held = state.count > 0 && state.since !== null ? { count: state.count, since: state.since } : undefined;
    return { kind: 'claimed', claimed: { row, runId, message: messageOf(row, held) } };
  }

  async function postpone(row: DeliveryRow, error: unknown): Promise<void> {
    deps.log.error('a message cannot be read', { delivery: row.id, route: row.route, error });
    const againInMs = config.firstMs * 2 ** row.attempts;
    await deps.db.transaction(async (tx) => {
      if (await postponeUnreadable(tx, row.id, { againInMs, tries: TRIES_OF_UNREADABLE }))
        await recordFailure(tx, row, 'unreadable');
    });
    await deps.faults.hit('notify:postponed');
  }

  async function send(claimed: Claimed): Promise<void> {
    const key = receiverKey(claimed.row.channel, claimed.row.recipient);
    receivers.begin(key);
    let reached = false;
    try {
      const result = await resultOf(claimed);
      reached = result.kind === 'Delivered' || result.kind === 'Permanent';
      await deps.faults.hit('notify:sent');
      const settled = await deps.db.transaction((tx) => settle(tx, claimed, result));
      await deps.faults.hit('notify:settled');
      // Undefined when another replica has taken this sender for dead and written what came of it.
      if (settled !== undefined)
        deps.metrics.count('notifications_total', { channel: claimed.row.channel, result: settled.toLowerCase() });
    } finally {
      const restMs = receivers.end(key, reached);
      if (restMs > 0)
        deps.log.warn('a receiver of messages does not take them and rests', {
          channel: claimed.row.channel,
          recipient: claimed.row.recipient,
          rest_ms: restMs,
        });
    }
  }

  async function resultOf({ row, message }: Claimed): Promise<ChannelResult> {
    const channel = deps.channels[row.channel];
    if (channel === undefined) return { kind: 'Permanent', errorKind: 'channel-unknown' };
    const { promise: over, resolve } = Promise.withResolvers<ChannelResult>();
    const cancel = deps.timers.after(config.timeoutMs * TIMEOUTS_OF_A_SEND, () =>
      resolve({ kind: 'Unknown', errorKind: 'deadline' }),
    );
    try {
      return await Promise.race([channel.send(row.recipient, message), over]);
    } catch (error: unknown) {
      // A mistake of the channel's own; whether the receiver got the message is not known.
      deps.log.error('a channel failed by a mistake of its own', { channel: row.channel, delivery: row.id, error });
      return { kind: 'Unknown', errorKind: 'channel-failed' };
    } finally {
      cancel();
    }
  }

  async function settle(
    tx: Parameters<typeof settleSending>[0],
    { row, runId, message }: Claimed,
    result: ChannelResult,
  ): Promise<string | undefined> {
    const stated = message.suppressedBefore?.count ?? 0;
    const plan = outcomeOf(result, row, deps.random(), config);
    const ours = await settleSending(tx, row.id, runId, { ...plan, stated: plan.status === 'Delivered' ? stated : 0 });
    if (!ours) return undefined;
    if (plan.status === 'Delivered') await markSent(tx, subjectOf(row.payload), stated);
    if (plan.status === 'Failed') await recordFailure(tx, row, plan.errorKind);
    return plan.status;
  }

  async function recordFailure(tx: Sql, row: DeliveryRow, errorKind: string | undefined): Promise<void> {
    deps.log.error('message could not be delivered', {
      delivery: row.id,
      route: row.route,
      error_kind: errorKind,
    });
    await appendAudit(tx, {
      actor: SERVICE_PRINCIPALS.sweeper,
      origin: 'core',
      verb: 'notification.fail',
      subjectKind: 'delivery',
      subjectId: row.id,
      detail: { route: row.route, recipient: row.recipient, errorKind, attempts: row.attempts + 1 },
    });
  }

  return {
    name: 'notify',
    pollMs: 1_000,
    async pass(signal) {
      const running = new Set<Promise<void>>();
      const errors: unknown[] = [];
      let moved = 0;
      async function startDue(): Promise<void> {
        for (;;) {
          const next = await claimNext();
          if (next.kind === 'none') return;
          moved += 1;
          if (next.kind === 'settled') continue;
          const sent = send(next.claimed)
            .catch((error: unknown) => void errors.push(error))
            .then(() => void running.delete(sent));
          running.add(sent);
        }
      }
      await reapSending(deps);
      await startDue();
      while (running.size > 0) {
        const pause = new AbortController();
        await Promise.race([...running, deps.timers.sleep(LOOK_AROUND_MS, pause.signal).catch(() => undefined)]);
        pause.abort();
        // What became due meanwhile, or of which another replica died, must not wait for the slowest receiver.
        if (signal.aborted || errors.length > 0) continue;
        await reapSending(deps);
        await startDue();
      }
      if (errors.length > 0) throw errors[0];
      return moved;
    },
  };
}

function messageOf(row: DeliveryRow, suppressedBefore: RenderedMessage['suppressedBefore']): RenderedMessage {
  return {
    payload: row.payload,
    payloadVersion: row.payload_version,
    idempotencyKey: row.idempotency_key,
    suppressedBefore,
  };
}

function outcomeOf(result: ChannelResult, row: DeliveryRow, random: number, config: NotifyStageConfig) {
  if (result.kind === 'Delivered') {
    return {
      status: 'Delivered',
      errorKind: undefined,
      externalRef: result.externalRef,
      againInMs: undefined,
    } as const;
  }
  const none = { errorKind: result.errorKind, externalRef: undefined };
  if (result.kind === 'Permanent') return { ...none, status: 'Failed', againInMs: undefined } as const;
  const retryAfterMs = result.kind === 'Retryable' ? result.retryAfterMs : undefined;
  const next = nextTry({ attempts: row.attempts + 1, ageMs: row.age_ms, random, retryAfterMs }, config);
  if (next.kind === 'give-up') return { ...none, status: 'Failed', againInMs: undefined } as const;
  return { ...none, status: result.kind === 'Retryable' ? 'Pending' : 'Unknown', againInMs: next.inMs } as const;
}
