import { type Alert, alertStatus, type Labels } from './alert.ts';
import { groupKey } from './group.ts';

/** A webhook's body, version 4, as Alertmanager sends it. */
export interface WebhookBody {
  readonly version: '4';
  readonly groupKey: string;
  readonly truncatedAlerts: number;
  readonly status: 'firing' | 'resolved';
  readonly receiver: string;
  readonly groupLabels: Labels;
  readonly commonLabels: Labels;
  readonly commonAnnotations: Labels;
  readonly externalURL: string;
  readonly alerts: readonly WebhookAlert[];
}

export interface WebhookAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL: string;
  readonly fingerprint: string;
}

const NO_END = '0001-01-01T00:00:00Z';

function common(maps: readonly Labels[]): Labels {
  const [first = {}, ...rest] = maps;
  return Object.fromEntries(Object.entries(first).filter(([name, value]) => rest.every((map) => map[name] === value)));
}

/** Firing alerts come first, each kind in the order they began; beyond `maxAlerts` (0: no limit) they are counted, not sent. */
export function webhookBody(
  alerts: readonly Alert[],
  group: Labels,
  receiver: string,
  externalURL: string,
  maxAlerts: number,
): WebhookBody {
  const ordered = [...alerts].sort(
    (one, other) =>
      alertStatus(one).localeCompare(alertStatus(other)) || one.startsAt.getTime() - other.startsAt.getTime(),
  );
  const sent = maxAlerts === 0 ? ordered : ordered.slice(0, maxAlerts);
  return {
    version: '4',
    groupKey: groupKey(group),
    truncatedAlerts: ordered.length - sent.length,
    status: ordered.some((each) => alertStatus(each) === 'firing') ? 'firing' : 'resolved',
    receiver,
    groupLabels: group,
    commonLabels: common(ordered.map((each) => each.labels)),
    commonAnnotations: common(ordered.map((each) => each.annotations)),
    externalURL,
    alerts: sent.map((each) => ({
      status: alertStatus(each),
      labels: each.labels,
      annotations: each.annotations,
      startsAt: each.startsAt.toISOString(),
      endsAt: each.endsAt?.toISOString() ?? NO_END,
      generatorURL: each.generatorURL,
      fingerprint: each.fingerprint,
    })),
  };
}
