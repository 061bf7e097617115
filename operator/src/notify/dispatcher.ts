import { type BackoffTimes, nextTry } from '@hephaisto/core/delivery/backoff';
import { judgeNotify, type NotifyLimits } from '@hephaisto/core/delivery/controls';
import type { ChannelResult, RenderedMessage } from '@hephaisto/core/delivery/webhook';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { appendAudit } from '../flow/incident-log/audit.ts';
import type { Stage, StageDeps } from '../flow/stage.ts';
import type { NotificationChannel } from './channel.ts';
import {
  claimForSending,
  type DeliveryRow,
  gatherNotifyFacts,
  lockDue,
  lockSubject,
  markSent,
  reapSending,
  settleSending,
  subjectOf,
  suppress,
} from './delivery-rows.ts';

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

const AT_ONCE = 10;
/** A sender that has not settled its message after so many of its own timeouts is taken for dead. */
const TIMEOUTS_UNTIL_DEAD = 4;

/** Sends what is owed: claims due messages, sends each once, and writes what came of it. The only place that tries a message again. */
export function createNotifyStage(
  deps: StageDeps & {
    readonly channels: Readonly<Record<string, NotificationChannel>>;
    /** 0…1. */
    readonly random: () => number;
  },
  config: NotifyStageConfig,
): Stage {
  async function claim(): Promise<{ readonly claimed: readonly Claimed[]; readonly suppressed: number }> {
    const due = await deps.db.transaction(async (tx) => {
      const claimed: Claimed[] = [];
      let suppressed = 0;
      for (const row of await lockDue(tx, AT_ONCE)) {
        const subject = subjectOf(row.payload);
        const state = await lockSubject(tx, subject);
        const facts = await gatherNotifyFacts(tx, row, subject, state, config.windowMs);
        const verdict = row.attempts === 0 ? judgeNotify(facts, config) : ({ kind: 'send' } as const);
        if (verdict.kind === 'suppress') {
          await suppress(tx, row, subject, verdict.reason);
          deps.metrics.count('notifications_total', { channel: row.channel, result: 'suppressed' });
          suppressed += 1;
          continue;
        }
        const runId = deps.ids.uuid();
        await claimForSending(tx, row.id, runId, config.timeoutMs * TIMEOUTS_UNTIL_DEAD);
        const held = state.count > 0 && state.since !== null ? { count: state.count, since: state.since } : undefined;
        claimed.push({ row, runId, message: messageOf(row, held) });
      }
      return { claimed, suppressed };
    });
    await deps.faults.hit('notify:claimed');
    return due;
  }

  async function send(claimed: Claimed): Promise<void> {
    const channel = deps.channels[claimed.row.channel];
    const result: ChannelResult =
      channel === undefined
        ? { kind: 'Permanent', errorKind: 'channel-unknown' }
        : await channel.send(claimed.row.recipient, claimed.message);
    await deps.faults.hit('notify:sent');
    await deps.db.transaction((tx) => settle(tx, claimed, result));
    await deps.faults.hit('notify:settled');
  }

  async function settle(
    tx: Parameters<typeof settleSending>[0],
    { row, runId, message }: Claimed,
    result: ChannelResult,
  ): Promise<void> {
    const stated = message.suppressedBefore?.count ?? 0;
    const plan = outcomeOf(result, row, deps.random(), config);
    const ours = await settleSending(tx, row.id, runId, { ...plan, stated: plan.status === 'Delivered' ? stated : 0 });
    if (!ours) return;
    deps.metrics.count('notifications_total', { channel: row.channel, result: plan.status.toLowerCase() });
    if (plan.status === 'Delivered') await markSent(tx, subjectOf(row.payload), stated);
    if (plan.status !== 'Failed') return;
    deps.log.error('message could not be delivered', {
      delivery: row.id,
      route: row.route,
      error_kind: plan.errorKind,
    });
    await appendAudit(tx, {
      actor: SERVICE_PRINCIPALS.sweeper,
      origin: 'core',
      verb: 'notification.fail',
      subjectKind: 'delivery',
      subjectId: row.id,
      detail: { route: row.route, recipient: row.recipient, errorKind: plan.errorKind, attempts: row.attempts + 1 },
    });
  }

  return {
    name: 'notify',
    pollMs: 1_000,
    async pass() {
      await reapSending(deps);
      const { claimed, suppressed } = await claim();
      await Promise.all(claimed.map(send));
      return claimed.length + suppressed;
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
