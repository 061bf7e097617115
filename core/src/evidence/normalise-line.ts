import { createCodeWindow } from './code-window.ts';
import { classOf, DIGIT, LETTER, variableEnd } from './variable-part.ts';

/**
 * Lines that say the same with other numbers become the same text: UUIDs, IP addresses, durations, hex ids and integers each become
 * one placeholder. One placeholder for all five, since a hex id without a letter looks like an integer, and two lines that
 * differ only in such an id must not be told apart.
 *
 * One pass over character codes, without a substring or a regular expression a line: more than a million lines a second pass here.
 */
export interface LineNormaliser {
  /** Normalises `text[from, to)`. */
  run(text: string, from: number, to: number): void;
  /** 53 bits of hash over the last result, for telling clusters apart. */
  readonly hash: number;
  readonly text: () => string;
}

/** Longest part of a line that takes part; what follows does not make a cluster of its own. */
export const LONGEST_NORMALISED = 4_096;
const PLACEHOLDER = 0xe000;
const PLACEHOLDER_TEXT = '<*>';

export function createLineNormaliser(): LineNormaliser {
  const window = createCodeWindow();
  const { codes } = window;
  /** First and last offset of each variable part, from the line's beginning. */
  const spans = new Int32Array(2 * LONGEST_NORMALISED);
  let spanned = 0;
  let line = '';
  let lineFrom = 0;
  let lineTo = 0;
  let low = 0;
  let high = 0;

  function run(text: string, from: number, to: number): void {
    line = text;
    lineFrom = from;
    lineTo = Math.min(to, from + LONGEST_NORMALISED);
    const begin = window.load(text, from, lineTo);
    const end = begin + lineTo - from;
    // Locals, not the closure's variables: they are written for every character.
    let a = 0x811c9dc5 | 0;
    let b = 0x27d4eb2f | 0;
    let found = 0;
    let at = begin;
    while (at < end) {
      const first = codes[at] ?? 0;
      const kind = classOf(first);
      let stop = at + 1;
      let single = first;
      if (kind !== 0) {
        let kinds = kind;
        for (; stop < end; stop += 1) {
          const next = classOf(codes[stop] ?? 0);
          if (next === 0) break;
          kinds |= next;
        }
        // Most tokens are words, and are told by how they begin: what varies and has a letter beyond hexadecimal begins with a digit.
        const variable = (kinds & LETTER) !== 0 && kind !== DIGIT ? -1 : variableEnd(codes, at, stop, end, kinds);
        if (variable < 0) {
          // Two characters a step. Where a word begins and ends is the same for all lines that become the same text.
          for (; at + 1 < stop; at += 2) {
            const pair = (codes[at] ?? 0) | ((codes[at + 1] ?? 0) << 16);
            a = Math.imul(((a << 13) | (a >>> 19)) ^ pair, 0xcc9e2d51);
            b = Math.imul(b ^ pair, 0x5bd1e995) ^ (b >>> 15);
          }
          if (at === stop) continue;
          single = codes[at] ?? 0;
        } else {
          spans[found] = at - begin;
          spans[found + 1] = variable - begin;
          found += 2;
          stop = variable;
          single = PLACEHOLDER;
        }
      }
      a = Math.imul(((a << 13) | (a >>> 19)) ^ single, 0xcc9e2d51);
      b = Math.imul(b ^ single, 0x5bd1e995) ^ (b >>> 15);
      at = stop;
    }
    low = a;
    high = b;
    spanned = found;
  }

  function normalised(): string {
    let text = '';
    let from = lineFrom;
    for (let i = 0; i < spanned; i += 2) {
      text += line.slice(from, lineFrom + (spans[i] ?? 0)) + PLACEHOLDER_TEXT;
      from = lineFrom + (spans[i + 1] ?? 0);
    }
    return (text + line.slice(from, lineTo)).replaceAll(String.fromCharCode(PLACEHOLDER), PLACEHOLDER_TEXT);
  }

  return {
    run,
    get hash() {
      return (low >>> 0) * 0x200000 + (high >>> 11);
    },
    text: normalised,
  };
}

/** The normalised form of one line, as text with `<*>` in the places that vary. */
export function normaliseLine(line: string): string {
  const normaliser = createLineNormaliser();
  normaliser.run(line, 0, line.length);
  return normaliser.text();
}
