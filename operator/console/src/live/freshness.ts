/** What is known of the line to the server. Times are milliseconds of the page's clock. */
export interface LineFacts {
  readonly now: number;
  readonly online: boolean;
  /** Whether the stream is open. */
  readonly connected: boolean;
  /** Last byte of the stream, or last answer of the server. */
  readonly lastContact: number;
  /** Whether the last thing that was asked of the server was answered. */
  readonly reachable: boolean;
  /** Failed attempts to open the stream since it was last open. */
  readonly failures: number;
  /** When the oldest picture on the screen that could not be renewed was taken; undefined when all could. */
  readonly oldSince: number | undefined;
}

export type Freshness =
  | { readonly state: 'live'; readonly seconds: number }
  | { readonly state: 'stale'; readonly seconds: number; readonly why: string }
  | { readonly state: 'offline'; readonly since: number; readonly why: string };

/** A line that has been silent for longer than this is not trusted; the server says something each 15 s. */
const SILENT_MS = 20_000;
/** A dropped line is mended within this, as a rule, and the screen is no older than it says. */
const BLINK_MS = 2_500;

/** How old the screen may be. In doubt older: a screen that is wrongly called live is the worse failure. */
export function judgeFreshness(facts: LineFacts): Freshness {
  const silent = Math.max(0, facts.now - facts.lastContact);
  if (!facts.online) return { state: 'offline', since: facts.lastContact, why: 'this device has no network' };
  if (!facts.reachable && facts.failures >= 2)
    return { state: 'offline', since: facts.lastContact, why: 'the server cannot be reached' };
  if (facts.oldSince !== undefined)
    return { state: 'stale', seconds: seconds(facts.now - facts.oldSince), why: 'the server could not answer' };
  if (facts.connected && silent <= SILENT_MS) return { state: 'live', seconds: seconds(silent) };
  if (!facts.connected && facts.failures === 0 && silent <= BLINK_MS)
    return { state: 'live', seconds: seconds(silent) };
  const why = facts.connected ? 'the live line is silent' : 'the live line is down; asking again every few seconds';
  return { state: 'stale', seconds: seconds(silent), why };
}

function seconds(milliseconds: number): number {
  return Math.max(0, Math.floor(milliseconds / 1000));
}

/** How long to wait before the next attempt, in milliseconds; `chance` in 0..1 spreads many pages over time. */
export function retryDelay(failures: number, chance: number): number {
  if (failures <= 0) return 250;
  if (failures === 1) return 1_000 + 500 * chance;
  return Math.min(30_000, 5_000 * 1.5 ** (failures - 2)) * (0.8 + 0.4 * chance);
}
