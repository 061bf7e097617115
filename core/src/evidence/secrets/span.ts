import type { Steps } from '../../steps.ts';

/** A secret's place in a text: `text.slice(from, to)`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads a text once and reports what it takes for a secret. Its work grows linearly with the text: a pattern that searches has no unbounded
 * repetition before its end, what stands left of an anchor is walked back over a bounded way, and the search goes on behind what was read.
 */
export type Detector = (text: string, report: (from: number, to: number) => void) => Steps;

/** Matches between two steps, and characters. */
const MATCHES_PER_STEP = 64;
const CHARACTERS_PER_STEP = 16_384;

/** Sorts spans and joins those that overlap. */
export function joinSpans(spans: readonly Span[]): readonly Span[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = joined.at(-1);
    if (last !== undefined && from < last.to) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}

/** The match of a sticky pattern at exactly `at`, or the next one of a global pattern from there. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * Calls `visit` for each match; `visit` returns where the search goes on, or nothing for the end of the match. Another text may be searched
 * with the same pattern between two steps.
 */
export function* eachMatch(
  pattern: RegExp,
  text: string,
  visit: (match: RegExpExecArray) => number | undefined,
): Steps {
  let pause = CHARACTERS_PER_STEP;
  let matches = 0;
  for (let match = matchAt(pattern, text, 0); match !== null; ) {
    const end = match.index + match[0].length;
    const next = Math.max(visit(match) ?? end, match.index + 1);
    matches += 1;
    if (next > pause || matches % MATCHES_PER_STEP === 0) {
      pause = next + CHARACTERS_PER_STEP;
      yield;
    }
    match = matchAt(pattern, text, next);
  }
  if (text.length > CHARACTERS_PER_STEP) yield;
}

/** Where the line that contains `at` ends, or `until`. A search that went on to the end of the text for each match would be quadratic. */
export function lineEnd(text: string, at: number, until: number): number {
  const end = text.slice(at, until).indexOf('\n');
  return end < 0 ? Math.min(text.length, Math.max(at, until)) : at + end;
}

/** Start of the line that contains `at`, at most `bound` characters before it. */
export function lineStart(text: string, at: number, bound: number): number {
  const from = Math.max(0, at - bound);
  for (let i = at; i > from; i -= 1) if (text.charCodeAt(i - 1) === 10) return i;
  return from;
}

export function isMark(text: string, at = 0): boolean {
  return text.startsWith('[redacted', at);
}
