/** Restarts of one pod that belong together, from the first of them until the pod has gone for longer without one. */
export interface RestartSeries {
  readonly restarts: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** Time without a restart after which the pod counts as recovered. */
  readonly healMs: number;
}

/** Restarts further apart than this never belong together. */
export const RESTART_WINDOW_MS = 3_600_000;

/** Restarts of one series from which a container that always comes back is still a fault. */
export const STORM_RESTARTS = 4;

/**
 * How much longer than before a pod must run to count as recovered. A fixed time fails both ways: a container that crashes every
 * quarter of an hour would recover between two crashes, and one that restarted five times within a minute would stay sick for an hour.
 */
const HEAL_FACTOR = 1.5;

/** The series that the newest restart belongs to. Undefined without a restart, and once the pod has run for long enough since. */
export function restartSeries(
  restartsMs: readonly number[],
  nowMs: number,
  leastMs: number,
): RestartSeries | undefined {
  const recent = restartsMs.filter((at) => nowMs - at < RESTART_WINDOW_MS).toSorted((a, b) => a - b);
  const [first] = recent;
  const last = recent.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const healMs = healMsOf(recent, leastMs);
  if (nowMs - last >= healMs) return undefined;
  return { restarts: recent.length, firstAt: new Date(first), lastAt: new Date(last), healMs };
}

/** `sortedMs` in ascending order. */
function healMsOf(sortedMs: readonly number[], leastMs: number): number {
  const longestGap = sortedMs.reduce((longest, at, index) => Math.max(longest, at - (sortedMs[index - 1] ?? at)), 0);
  return Math.max(leastMs, Math.min(RESTART_WINDOW_MS, longestGap * HEAL_FACTOR));
}

/**
 * Whether a pod without symptoms has recovered from a whole storm. A restart from here on begins another series: counted with the storm, one
 * single restart would be a storm again. Fewer restarts are kept, since it takes four that are far apart to see that they belong together.
 */
export function hasRecovered(restartsMs: readonly number[], nowMs: number, leastMs: number): boolean {
  const lastMs = Math.max(...restartsMs);
  const series = restartsMs.filter((at) => lastMs - at < RESTART_WINDOW_MS).toSorted((a, b) => a - b);
  return series.length >= STORM_RESTARTS && nowMs - lastMs >= healMsOf(series, leastMs);
}
