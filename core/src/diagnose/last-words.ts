import { ordersIn } from '../evidence/taint.ts';
import type { EvidenceClaim } from '../finding/finding.ts';
import type { Reading } from './known.ts';
import { LAST_WORD_FORMS, type LastWordLevel, NO_ERRORS, REPORTS_AN_END, STACK_FRAME } from './last-words-table.ts';
import { quoteLine } from './quote.ts';
import type { LogReading } from './tools.ts';

/** The line with which a container explains its end, as written and as a citation. */
export interface LastWords {
  readonly line: string;
  readonly level: LastWordLevel;
  readonly claim: EvidenceClaim;
}

/** Forms are tried on this much of a line: the reason of an end comes first, and the event loop waits meanwhile. */
const MAX_TESTED = 500;

const LEVELS: readonly LastWordLevel[] = ['damaged', 'ended', 'complained', 'farewell'];
const NAMED_ERROR = /[A-Za-z](?:Error|Exception)\b/;

/** The forms of a level as two expressions, with and without regard to case: one pass a line instead of one a form. */
const JOINED: Readonly<Record<LastWordLevel, readonly RegExp[]>> = {
  damaged: join('damaged'),
  ended: join('ended'),
  complained: join('complained'),
  farewell: join('farewell'),
};

function join(level: LastWordLevel): readonly RegExp[] {
  const forms = LAST_WORD_FORMS.filter((row) => row.level === level).map(({ form }) => form);
  return (
    ['', 'i']
      .map((flags) => forms.filter((form) => form.flags === flags).map(({ source }) => source))
      // linear: an alternation of forms, on a line of bounded length
      .map((sources, index) => new RegExp(sources.join('|') || '(?!)', index === 0 ? '' : 'i'))
  );
}

function isOfLevel(tested: string, level: LastWordLevel): boolean {
  return JOINED[level].some((form) => form.test(tested));
}

/** How much a line says about why the program ended; undefined for one that complains of nothing. */
export function levelOf(line: string): LastWordLevel | undefined {
  const tested = line.slice(0, MAX_TESTED).replace(NO_ERRORS, '');
  if (STACK_FRAME.test(tested)) return undefined;
  if (REPORTS_AN_END.test(tested)) return 'farewell';
  const found = LEVELS.find((level) => isOfLevel(tested, level));
  // `fatal: exiting` gives no reason, so any other complaint is better.
  return found === 'ended' && isOnlyFarewell(tested) ? 'farewell' : found;
}

function isOnlyFarewell(tested: string): boolean {
  return isOfLevel(tested, 'farewell') && !isOfLevel(tested, 'complained') && !NAMED_ERROR.test(tested);
}

export function isComplaint(line: string): boolean {
  const level = levelOf(line);
  return level !== undefined && level !== 'farewell';
}

/** Several rules ask for the last words of the same reading, which never changes. */
const seen = new WeakMap<LogReading, readonly (LastWords | undefined)[]>();

/** The line nearest the end that says most, over all the logs. */
export function lastWords(logs: readonly Reading<LogReading>[]): LastWords | undefined {
  const found = logs.map(wordsByLevel);
  return LEVELS.map((_, index) => found.map((levels) => levels[index]).find((words) => words !== undefined)).find(
    (words) => words !== undefined,
  );
}

/** The last line of each level. */
function wordsByLevel(log: Reading<LogReading>): readonly (LastWords | undefined)[] {
  const known = seen.get(log.value);
  if (known !== undefined) return known;
  const levels = log.value.lines.map(levelOf);
  const words = LEVELS.map((level) => {
    for (let at = levels.length - 1; at >= 0; at -= 1) {
      const line = log.value.lines[at] ?? '';
      const claim = levels[at] === level && ordersIn(line).length === 0 ? quoteLine(log, line) : undefined;
      if (claim !== undefined) return { line, level, claim };
    }
    return undefined;
  });
  seen.set(log.value, words);
  return words;
}
