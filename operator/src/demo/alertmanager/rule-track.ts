import type { Labels } from './alert.ts';
import { fingerprint } from './fingerprint.ts';

/** One label set of a rule, followed over time. Instants are milliseconds. */
export interface Tracked {
  readonly labels: Labels;
  readonly since: number;
  readonly lastTrue: number;
  readonly firing: boolean;
}

export type Track = ReadonlyMap<string, Tracked>;

export interface TrackStep {
  readonly track: Track;
  /** Label sets that fire now, new and continued. */
  readonly firing: readonly Tracked[];
  /** Label sets that fired until now and no longer do. */
  readonly resolved: readonly Tracked[];
}

/**
 * One evaluation of a rule: a label set fires once its expression has been true for `forMs`, and counts as true for `keepMs`
 * after it was last seen so, as with `max_over_time`.
 */
export function evaluateTrack(
  before: Track,
  isTrue: readonly Labels[],
  now: number,
  forMs: number,
  keepMs: number,
): TrackStep {
  const track = new Map<string, Tracked>();
  const resolved: Tracked[] = [];
  for (const labels of isTrue) {
    const key = fingerprint(labels);
    const since = before.get(key)?.since ?? now;
    track.set(key, { labels, since, lastTrue: now, firing: now - since >= forMs });
  }
  for (const [key, known] of before) {
    if (track.has(key)) continue;
    if (now - known.lastTrue < keepMs) track.set(key, { ...known, firing: now - known.since >= forMs });
    else if (known.firing) resolved.push(known);
  }
  return { track, firing: [...track.values()].filter((each) => each.firing), resolved };
}
