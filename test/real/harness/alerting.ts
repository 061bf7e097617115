import type { AlertUpdate } from '../../../operator/src/demo/alertmanager/alert.ts';
import type { Alertmanager } from '../../../operator/src/demo/alertmanager/alertmanager.ts';
import { fingerprint } from '../../../operator/src/demo/alertmanager/fingerprint.ts';
import type { AlertingPart } from '../../world/alerting.ts';

/** Where alerts of some namespaces go. */
export interface AlertRoute {
  readonly name: string;
  /** The operator's address. */
  readonly url: string;
  readonly token: string;
  /** Namespaces whose alerts it gets; undefined for the one that gets all others, and those without a namespace. */
  readonly namespaces?: readonly string[];
}

/** How long groups wait; divided by the speed. Alertmanager's own word for durations is `ms` at its finest. */
const GROUP_WAIT_MS = 10_000;
const GROUP_INTERVAL_MS = 30_000;
const REPEAT_INTERVAL_MS = 300_000;

/** The configuration that groups by alert and namespace and posts webhooks to each route's operator. JSON is YAML too. */
export function alertmanagerConfig(routes: readonly AlertRoute[], speed: number): string {
  const wait = (milliseconds: number) => `${Math.max(100, Math.round(milliseconds / speed))}ms`;
  const fallback = routes.find(({ namespaces }) => namespaces === undefined);
  return JSON.stringify({
    route: {
      receiver: fallback?.name ?? 'nobody',
      group_by: ['alertname', 'namespace'],
      group_wait: wait(GROUP_WAIT_MS),
      group_interval: wait(GROUP_INTERVAL_MS),
      repeat_interval: wait(REPEAT_INTERVAL_MS),
      routes: routes
        .filter(({ namespaces }) => namespaces !== undefined)
        .map(({ name, namespaces = [] }) => ({
          receiver: name,
          matchers: [`namespace=~"${namespaces.join('|')}"`],
        })),
    },
    receivers: [
      { name: 'nobody' },
      ...routes.map(({ name, url, token }) => ({
        name,
        webhook_configs: [
          {
            url: `${url}/webhooks/alertmanager`,
            send_resolved: true,
            http_config: { authorization: { type: 'Bearer', credentials: token } },
          },
        ],
      })),
    ],
  });
}

/** Prometheus tells Alertmanager of an alert that goes on every so often, with an end that lies beyond the next time. */
const RESEND_MS = 2_000;
const GOES_ON_MS = 60_000;

/**
 * The world's Alertmanager as the stories' rule evaluation knows one: what it is given it posts to `/api/v2/alerts`, new and resolved alerts at
 * once, those that go on every two seconds.
 */
export function prometheusTo(part: AlertingPart, onTrouble: (error: unknown) => void): Alertmanager {
  const told = new Map<string, number>();
  let line: Promise<unknown> = Promise.resolve();

  async function post(alerts: readonly AlertUpdate[]): Promise<void> {
    const body = alerts.map(({ labels, annotations, startsAt, endsAt, generatorURL }) => ({
      labels,
      annotations,
      startsAt: startsAt.toISOString(),
      endsAt: (endsAt ?? new Date(Date.now() + GOES_ON_MS)).toISOString(),
      generatorURL,
    }));
    const answer = await fetch(`${part.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    if (!answer.ok)
      throw new Error(`expected Alertmanager to take alerts, found ${answer.status}: ${await answer.text()}`);
  }

  function isDue(alert: AlertUpdate, now: number): boolean {
    const key = fingerprint(alert.labels);
    if (alert.endsAt !== undefined) {
      told.delete(key);
      return true;
    }
    if (now - (told.get(key) ?? 0) < RESEND_MS) return false;
    told.set(key, now);
    return true;
  }

  return {
    url: part.url,
    put(alerts) {
      const due = alerts.filter((alert) => isDue(alert, Date.now()));
      if (due.length > 0) line = line.then(() => post(due)).catch(onTrouble);
    },
    setReceiver: () => undefined,
    close: async () => void (await line),
  };
}
