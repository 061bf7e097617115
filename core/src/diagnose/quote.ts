import { oneLine } from '../evidence/tables/text.ts';
import { ordersIn } from '../evidence/taint.ts';
import type { EvidenceClaim } from '../finding/finding.ts';
import { normaliseWhitespace, SHORTEST_EXCERPT } from '../finding/ground.ts';

interface Quotable {
  readonly stepId: string;
  readonly text: string;
}

const LONGEST_EXCERPT = 600;

/**
 * The first line that holds all the needles, as a citation of its step; nothing when there is none. A line that gives orders to its reader is
 * taken only where no other holds them: it is quoted as data, and a rule that draws a conclusion from the words of a line skips it.
 */
export function quote(reading: Quotable | undefined, ...needles: readonly string[]): readonly EvidenceClaim[] {
  if (reading === undefined) return [];
  let tainted: EvidenceClaim | undefined;
  for (const line of reading.text.split('\n')) {
    if (!needles.every((needle) => line.includes(needle))) continue;
    const claim = quoteLine(reading, line);
    if (claim === undefined) continue;
    if (ordersIn(line).length === 0) return [claim];
    tainted ??= claim;
  }
  return tainted === undefined ? [] : [tainted];
}

/** A sentence stays readable on a phone; the evidence beside it holds the whole line. */
const LONGEST_QUOTED = 240;

/** Outside words inside a sentence of ours: one line, bounded, in quotation marks, without characters that control the terminal. */
export function inQuotes(text: string): string {
  const visible = text.slice(0, LONGEST_QUOTED * 4).replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  // Typographic marks, since the words themselves often hold straight ones; the sentence brings its own full stop.
  return `“${oneLine(visible, LONGEST_QUOTED).replace(/\.$/, '')}”`;
}

/** A line as a citation, or undefined where it is too short. */
export function quoteLine(reading: Quotable, line: string): EvidenceClaim | undefined {
  const trimmed = line.trim();
  const excerpt = trimmed.length <= LONGEST_EXCERPT ? trimmed : trimmed.slice(0, LONGEST_EXCERPT).toWellFormed();
  if ([...normaliseWhitespace(excerpt)].length < SHORTEST_EXCERPT) return undefined;
  return { stepId: reading.stepId, excerpt };
}
