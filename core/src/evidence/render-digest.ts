import type { LogCluster, LogDigest } from './log-digest.ts';
import type { LogLine, NotableLine } from './notable-windows.ts';
import { utf8Bytes, utf8Head } from './utf8.ts';

/** Most bytes that a log may take of a reader's attention. */
export const DIGEST_BYTES = 8_192;

/** Kept free for the line that says what was left out. */
const FOOTER_BYTES = 128;
const LONGEST_EXEMPLAR = 300;
/** Shares of the room when all three parts want more than there is; what one part leaves free goes to the others. */
const CLUSTER_SHARE = 0.2;
const NOTABLE_SHARE = 0.45;

/**
 * A digest as text of at most `maxBytes` of UTF-8: repeated lines, notable lines with their neighbours, and the end of the log. Lines
 * stand as they were, so that they can be quoted. What does not fit is counted in the last line.
 */
export function renderLogDigest(title: string, digest: LogDigest, maxBytes: number = DIGEST_BYTES): string {
  const head = `${title}: ${digest.lines} lines, ${digest.bytes} bytes${timeSpan(digest)}`;
  if (digest.lines === 0) return `${title}: empty`;
  const room = Math.max(0, maxBytes - utf8Bytes(head) - FOOTER_BYTES);
  const repeated = digest.clusters.filter((cluster) => cluster.count > 1).map(clusterLine);
  const clusterNeed = size(repeated);
  const notableNeed = size(digest.notable.map(({ text }) => text));
  const tailNeed = size(digest.tail.map(({ text }) => text)) + 24;

  const clusterRoom = Math.min(clusterNeed, Math.max(room * CLUSTER_SHARE, room - notableNeed - tailNeed));
  const notableRoom = Math.min(notableNeed, Math.max(room * NOTABLE_SHARE, room - clusterRoom - tailNeed));
  const tail = fitTail(digest.tail, room - clusterRoom - notableRoom - 48);
  const tailStart = tail[0]?.number ?? digest.lines + 1;
  const before = digest.notable.filter(({ number }) => number < tailStart);
  const notable = fitNotable(before, room - clusterRoom - size(tail.map(({ text }) => text)) - 96);
  const clusters = fitHead(repeated, clusterRoom);

  const shown = tail.length + notable.length;
  const parts = [
    head,
    ...(clusters.length === 0 ? [] : ['repeated lines:', ...clusters]),
    ...(notable.length === 0 ? [] : ['notable lines:', ...withBreaks(notable)]),
    ...(tail.length === 0 ? [] : [`last ${tail.length} lines:`, ...tail.map(({ text }) => text)]),
    ...(shown < digest.lines ? [`[${digest.lines - shown} of ${digest.lines} lines omitted]`] : []),
  ];
  return utf8Head(parts.join('\n'), maxBytes);
}

function timeSpan(digest: LogDigest): string {
  return digest.firstSeen === undefined || digest.lastSeen === undefined
    ? ''
    : `, ${digest.firstSeen} to ${digest.lastSeen}`;
}

function clusterLine(cluster: LogCluster): string {
  const span =
    cluster.firstSeen === undefined ? '' : ` [${cluster.firstSeen} to ${cluster.lastSeen ?? cluster.firstSeen}]`;
  const exemplar =
    cluster.exemplar.length <= LONGEST_EXEMPLAR
      ? cluster.exemplar
      : `${cluster.exemplar.slice(0, LONGEST_EXEMPLAR).toWellFormed()}…`;
  return `${cluster.count}x${span} ${exemplar}`;
}

/** Newest lines first get the room; a single line larger than it is cut with a mark. */
function fitTail(lines: readonly LogLine[], room: number): readonly LogLine[] {
  const fitted: LogLine[] = [];
  let left = room;
  for (const line of lines.toReversed()) {
    const bytes = utf8Bytes(line.text) + 1;
    if (bytes > left) {
      if (fitted.length === 0 && left > 64) fitted.push({ ...line, text: `${utf8Head(line.text, left - 16)}…[cut]` });
      break;
    }
    left -= bytes;
    fitted.push(line);
  }
  return fitted.reverse();
}

/** New patterns first, then the latest; shown in the log's order. */
function fitNotable(lines: readonly NotableLine[], room: number): readonly NotableLine[] {
  const order = [
    ...lines.filter((line) => line.novel && line.matches),
    ...lines.filter((line) => line.novel && !line.matches),
    ...lines.filter((line) => !line.novel).reverse(),
  ];
  const fitted: NotableLine[] = [];
  let left = room;
  for (const line of order) {
    // The break before a line that does not follow the one above costs three bytes.
    const bytes = utf8Bytes(line.text) + 4;
    if (bytes > left) continue;
    left -= bytes;
    fitted.push(line);
  }
  return fitted.sort((a, b) => a.number - b.number);
}

function withBreaks(lines: readonly NotableLine[]): readonly string[] {
  return lines.flatMap((line, index) => {
    const previous = lines[index - 1];
    return previous !== undefined && previous.number + 1 < line.number ? ['--', line.text] : [line.text];
  });
}

function fitHead(lines: readonly string[], room: number): readonly string[] {
  let left = room;
  return lines.filter((line) => {
    left -= utf8Bytes(line) + 1;
    return left >= 0;
  });
}

function size(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + utf8Bytes(line) + 1, 0);
}
