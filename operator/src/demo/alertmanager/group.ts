import { type Alert, alertStatus, type Labels } from './alert.ts';

/** What was last told about a group. Instants are milliseconds. */
export interface Notified {
  readonly firing: ReadonlySet<string>;
  readonly resolved: ReadonlySet<string>;
  readonly at: number;
}

export type FlushDecision =
  | { readonly kind: 'notify'; readonly reason: 'first' | 'new-firing' | 'all-resolved' | 'newly-resolved' | 'repeat' }
  | { readonly kind: 'quiet'; readonly reason: 'nothing-fired' | 'already-told' };

function subset(part: readonly string[], whole: ReadonlySet<string>): boolean {
  return part.every((each) => whole.has(each));
}

/** Whether a flush of the group sends, by the rules of Alertmanager's deduplication. */
export function decideFlush(
  alerts: readonly Alert[],
  last: Notified | undefined,
  now: number,
  repeatMs: number,
): FlushDecision {
  const firing = alerts.filter((each) => alertStatus(each) === 'firing').map((each) => each.fingerprint);
  const resolved = alerts.filter((each) => alertStatus(each) === 'resolved').map((each) => each.fingerprint);
  if (last === undefined) {
    return firing.length > 0 ? { kind: 'notify', reason: 'first' } : { kind: 'quiet', reason: 'nothing-fired' };
  }
  if (!subset(firing, last.firing)) return { kind: 'notify', reason: 'new-firing' };
  if (firing.length === 0) {
    return last.firing.size > 0
      ? { kind: 'notify', reason: 'all-resolved' }
      : { kind: 'quiet', reason: 'already-told' };
  }
  if (!subset(resolved, last.resolved)) return { kind: 'notify', reason: 'newly-resolved' };
  return now - last.at >= repeatMs ? { kind: 'notify', reason: 'repeat' } : { kind: 'quiet', reason: 'already-told' };
}

/** The labels by which alerts are put together. */
export const GROUP_BY: readonly string[] = ['alertname', 'namespace'];

/** The group's own labels: those of `GROUP_BY` that the alert has. */
export function groupLabels(labels: Labels): Labels {
  const kept = GROUP_BY.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]] as const]));
  return Object.fromEntries(kept);
}

/** The group's key as Alertmanager writes it: the route's matchers, a colon, the group's labels. */
export function groupKey(labels: Labels): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((name) => `${name}=${JSON.stringify(labels[name])}`);
  return `{}:{${pairs.join(', ')}}`;
}
