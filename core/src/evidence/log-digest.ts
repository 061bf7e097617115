import { isStorableTime } from '../signal/storable-time.ts';
import { stripAnsi } from './ansi.ts';
import { kubeletTimeEnd, leadingTime, skipLeadingTime } from './line-time.ts';
import { createLineNormaliser, LONGEST_NORMALISED } from './normalise-line.ts';
import { createNotableWindows, isNotable, type LogLine, type NotableLine } from './notable-windows.ts';
import { utf8Bytes } from './utf8.ts';
import { classOf, DIGIT } from './variable-part.ts';

/** Lines that say the same with other numbers. Times are the log's own, to the second, absent where its lines carry none. */
export interface LogCluster {
  readonly count: number;
  readonly firstSeen?: string;
  readonly lastSeen?: string;
  /** The first such line as it stood, without terminal colours and leading time. */
  readonly exemplar: string;
}

/** What is kept of a log of any length. */
export interface LogDigest {
  readonly lines: number;
  readonly bytes: number;
  readonly firstSeen?: string;
  readonly lastSeen?: string;
  /** By count, the largest first. */
  readonly clusters: readonly LogCluster[];
  readonly notable: readonly NotableLine[];
  readonly tail: readonly LogLine[];
}

export interface LogDigester {
  /** Takes the next part of the log; lines may be cut anywhere. */
  push(chunk: string): void;
  /** Ends the log. The digester is spent afterwards. */
  finish(): LogDigest;
}

export const TOP_CLUSTERS = 20;
export const TAIL_LINES = 40;

/** Clusters remembered at once; beyond it, those seen once are forgotten, so memory stays bounded over any log. */
const MOST_CLUSTERS = 4_096;
/** A line without an end is cut here, or a log of one line would have to be held whole. */
const LONGEST_LINE = 64 * 1_024;
const LONGEST_SHOWN_LINE = 1_000;

interface OpenCluster {
  count: number;
  readonly firstSeen: string | undefined;
  lastSeen: string | undefined;
  readonly exemplar: string;
  /** Whether its lines name trouble: what varies within a pattern can spell none of those words. */
  readonly notable: boolean;
  /** Where in the present chunk it was last seen; -1 when not since the chunk began. */
  seenAt: number;
}

/** Digests a log in one pass and bounded memory. */
export function createLogDigester(): LogDigester {
  const normaliser = createLineNormaliser();
  const windows = createNotableWindows(shownLine);
  const starts = new Int32Array(TAIL_LINES);
  const ends = new Int32Array(TAIL_LINES);
  let clusters = new Map<number, OpenCluster>();
  let touched: OpenCluster[] = [];
  let tail: LogLine[] = [];
  let carry = '';
  let lines = 0;
  let bytes = 0;
  let firstSeen: string | undefined;
  let lastSeen: string | undefined;

  /** Counts the line `[from, to)` and shows it to the windows. */
  function take(text: string, from: number, to: number): void {
    const stamp = kubeletTimeEnd(text, from, to);
    const begin = Math.min(to, skipLeadingTime(text, stamp < 0 ? from : stamp));
    normaliser.run(text, begin, to);
    const key = normaliser.hash;
    let cluster = clusters.get(key);
    if (cluster === undefined) {
      const seen = seenText(text, from, to);
      const notable = isNotable(text.slice(begin, Math.min(to, begin + LONGEST_NORMALISED)));
      const exemplar = shownLine(text, from, to);
      cluster = { count: 0, firstSeen: seen, lastSeen: seen, exemplar, notable, seenAt: -1 };
      if (clusters.size >= MOST_CLUSTERS) clusters = forgetSingles(clusters);
      clusters.set(key, cluster);
    }
    if (cluster.seenAt < 0) touched.push(cluster);
    cluster.seenAt = from;
    cluster.count += 1;
    const whole = to - begin <= LONGEST_NORMALISED && !mayHideWord(text, from, stamp);
    windows.line(from, to, cluster.count, whole ? cluster.notable : isNotable(text.slice(from, to)));
  }

  /** Takes the lines of `raw` up to `upTo`. The rest is not cut off first: reading through a slice costs more than passing a bound. */
  function digestLines(raw: string, upTo: number): void {
    bytes += utf8Bytes(upTo === raw.length ? raw : raw.slice(0, upTo));
    const plain = stripAnsi(raw) === raw;
    const text = plain ? raw : stripAnsi(raw.slice(0, upTo));
    const limit = plain ? upTo : text.length;
    windows.begin(text, lines, tail);
    let from = 0;
    let inChunk = 0;
    while (from < limit) {
      let end = text.indexOf('\n', from);
      if (end < 0) end = limit;
      const to = end > from && text.charCodeAt(end - 1) === 13 ? end - 1 : end;
      const slot = inChunk % TAIL_LINES;
      starts[slot] = from;
      ends[slot] = to;
      inChunk += 1;
      take(text, from, to);
      from = end + 1;
    }
    settleChunk(text, inChunk);
  }

  function settleChunk(text: string, inChunk: number): void {
    for (const cluster of touched) {
      cluster.lastSeen = seenText(text, cluster.seenAt, lineEnd(text, cluster.seenAt));
      cluster.seenAt = -1;
    }
    touched = [];
    windows.end();
    const kept = Math.min(inChunk, TAIL_LINES);
    const fresh: LogLine[] = [];
    for (let i = inChunk - kept; i < inChunk; i += 1) {
      const slot = i % TAIL_LINES;
      fresh.push({ number: lines + i + 1, text: shownLine(text, starts[slot] ?? 0, ends[slot] ?? 0) });
    }
    if (inChunk > 0) {
      firstSeen ??= seenText(text, 0, lineEnd(text, 0));
      const last = starts[(inChunk - 1) % TAIL_LINES] ?? 0;
      lastSeen = seenText(text, last, lineEnd(text, last)) ?? lastSeen;
    }
    tail = [...tail, ...fresh].slice(-TAIL_LINES);
    lines += inChunk;
  }

  return {
    push(chunk) {
      const text = carry + chunk;
      const cut = text.lastIndexOf('\n') + 1;
      if (cut === 0 && text.length <= LONGEST_LINE) {
        carry = text;
        return;
      }
      const end = cut === 0 ? text.length : cut;
      carry = text.slice(end);
      digestLines(text, end);
    },
    finish() {
      if (carry !== '') digestLines(carry, carry.length);
      carry = '';
      return {
        lines,
        bytes,
        ...(firstSeen === undefined ? {} : { firstSeen }),
        ...(lastSeen === undefined ? {} : { lastSeen }),
        clusters: topClusters(clusters),
        notable: windows.kept(),
        tail,
      };
    },
  };
}

/** Digest of a log that is in memory. */
export function digestLog(text: string): LogDigest {
  const digester = createLogDigester();
  digester.push(text);
  return digester.finish();
}

function topClusters(clusters: ReadonlyMap<number, OpenCluster>): readonly LogCluster[] {
  return [...clusters.values()]
    .sort((a, b) => b.count - a.count)
    .slice(0, TOP_CLUSTERS)
    .map(({ count, firstSeen, lastSeen, exemplar }) => ({
      count,
      ...(firstSeen === undefined ? {} : { firstSeen }),
      ...(lastSeen === undefined ? {} : { lastSeen }),
      exemplar,
    }));
}

/** Keeps what repeats. When all of it repeats, the rarer half goes: a log with that many patterns has no pattern worth its memory. */
function forgetSingles(clusters: Map<number, OpenCluster>): Map<number, OpenCluster> {
  const repeated = [...clusters].filter(([, cluster]) => cluster.count > 1);
  if (repeated.length <= MOST_CLUSTERS / 2) return new Map(repeated);
  return new Map(repeated.sort(([, a], [, b]) => b.count - a.count).slice(0, MOST_CLUSTERS / 2));
}

/** The line without its leading times, cut with a mark where it is very long. */
function shownLine(text: string, from: number, to: number): string {
  const stamp = kubeletTimeEnd(text, from, to);
  const begin = Math.min(to, skipLeadingTime(text, stamp < 0 ? from : stamp));
  if (to - begin <= LONGEST_SHOWN_LINE) return text.slice(begin, to);
  return `${text.slice(begin, begin + LONGEST_SHOWN_LINE).toWellFormed()}…[+${to - begin - LONGEST_SHOWN_LINE} characters]`;
}

/** Whether a word of three letters or more can stand in what was taken for a time, `[from, stamp)`: of three neighbours one is looked at. */
function mayHideWord(text: string, from: number, stamp: number): boolean {
  for (let at = from; at < stamp; at += 3) if (classOf(text.charCodeAt(at)) > DIGIT) return true;
  return false;
}

function seenText(text: string, from: number, to: number): string | undefined {
  const line = text.slice(from, Math.min(to, from + 64));
  const stamp = kubeletTimeEnd(line, 0, line.length);
  if (stamp > 0) return `${line.slice(0, 19)}Z`;
  const { millis } = leadingTime(line);
  const time = millis === undefined ? undefined : new Date(millis);
  return time !== undefined && isStorableTime(time) ? `${time.toISOString().slice(0, 19)}Z` : undefined;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
