import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pace } from '../pace.ts';
import { type Alert, type AlertUpdate, alertStatus, type Labels } from './alert.ts';
import { answer } from './api.ts';
import { fingerprint } from './fingerprint.ts';
import { decideFlush, groupKey, groupLabels, type Notified } from './group.ts';
import { webhookBody } from './webhook-body.ts';
import { type Receiver, type SendOutcome, sendWebhook } from './webhook-sender.ts';

/** Seconds, before compression. */
export interface Timing {
  readonly groupWait: number;
  readonly groupInterval: number;
  readonly repeatInterval: number;
}

const TIMING: Timing = { groupWait: 10, groupInterval: 30, repeatInterval: 300 };
const RECEIVER = 'hephaisto';
/** Real time within which one notification must have succeeded before the next flush takes over. */
const SEND_MS = 30_000;

export interface AlertmanagerOptions {
  readonly pace: Pace;
  readonly timing?: Timing;
  /** 0: a notification carries all of its group's alerts. */
  readonly maxAlerts?: number;
  /** Told of every notification that ended, delivered or not. */
  onSent?(outcome: SendOutcome, groupKey: string): void;
}

export interface Alertmanager {
  readonly url: string;
  put(alerts: readonly AlertUpdate[]): void;
  /** Where to post from now on; until one is given nothing is posted. */
  setReceiver(receiver: Receiver): void;
  close(): Promise<void>;
}

interface Group {
  readonly labels: Labels;
  readonly alerts: Map<string, Alert>;
  last?: Notified;
  cancel(): void;
}

class Dispatcher {
  readonly #options: AlertmanagerOptions;
  readonly #timing: Timing;
  readonly #signal: AbortSignal;
  readonly #groups = new Map<string, Group>();
  receiver: Receiver | undefined;
  externalURL = '';

  constructor(options: AlertmanagerOptions, signal: AbortSignal) {
    this.#options = options;
    this.#timing = options.timing ?? TIMING;
    this.#signal = signal;
  }

  alerts(): readonly Alert[] {
    return [...this.#groups.values()].flatMap((group) => [...group.alerts.values()]);
  }

  put(update: AlertUpdate): void {
    const labels = groupLabels(update.labels);
    const key = groupKey(labels);
    const group = this.#groups.get(key);
    const alert: Alert = { ...update, fingerprint: fingerprint(update.labels), updatedAt: this.#options.pace.now() };
    if (group === undefined) {
      // an end of something never seen tells nobody anything
      if (alertStatus(alert) === 'resolved') return;
      const created: Group = { labels, alerts: new Map([[alert.fingerprint, alert]]), cancel: () => {} };
      this.#groups.set(key, created);
      this.#schedule(created, key, this.#timing.groupWait);
      return;
    }
    if (group.alerts.has(alert.fingerprint) || alertStatus(alert) === 'firing')
      group.alerts.set(alert.fingerprint, alert);
  }

  #schedule(group: Group, key: string, seconds: number): void {
    group.cancel = this.#options.pace.after(seconds * 1000, () => {
      this.#flush(group, key).finally(() => {
        if (!this.#signal.aborted && this.#groups.get(key) === group)
          this.#schedule(group, key, this.#timing.groupInterval);
      });
    });
  }

  async #flush(group: Group, key: string): Promise<void> {
    const { pace, maxAlerts = 0, onSent } = this.#options;
    const alerts = [...group.alerts.values()];
    const now = pace.now().getTime();
    const decision = decideFlush(alerts, group.last, now, (this.#timing.repeatInterval * 1000) / pace.speed);
    if (decision.kind === 'notify') {
      if (this.receiver === undefined) return;
      const body = webhookBody(alerts, group.labels, RECEIVER, this.externalURL, maxAlerts);
      const outcome = await sendWebhook(this.receiver, body, pace, SEND_MS, this.#signal);
      onSent?.(outcome, key);
      if (outcome.kind !== 'delivered') return;
      const of = (status: 'firing' | 'resolved') =>
        new Set(alerts.filter((each) => alertStatus(each) === status).map((each) => each.fingerprint));
      group.last = { firing: of('firing'), resolved: of('resolved'), at: now };
    }
    for (const alert of alerts) {
      const current = group.alerts.get(alert.fingerprint);
      if (current === alert && alertStatus(alert) === 'resolved') group.alerts.delete(alert.fingerprint);
    }
    if (group.alerts.size === 0) this.#groups.delete(key);
  }

  close(): void {
    for (const group of this.#groups.values()) group.cancel();
  }
}

/** Starts an Alertmanager-shaped server on a free port of 127.0.0.1; it keeps alerts in memory and posts them in groups. */
export async function startAlertmanager(options: AlertmanagerOptions): Promise<Alertmanager> {
  const stop = new AbortController();
  const dispatcher = new Dispatcher(options, stop.signal);
  const { pace } = options;
  const startedAt = pace.now();
  const view = { alerts: () => dispatcher.alerts(), receiver: RECEIVER, startedAt, now: () => pace.now() };
  const server = createServer((request, response) => answer(view, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  dispatcher.externalURL = url;
  return {
    url,
    put: (alerts) => {
      for (const alert of alerts) dispatcher.put(alert);
    },
    setReceiver: (receiver) => {
      dispatcher.receiver = receiver;
    },
    close: () =>
      new Promise((resolve) => {
        stop.abort();
        dispatcher.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
