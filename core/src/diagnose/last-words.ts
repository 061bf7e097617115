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

/** Forms are tried on this much of a line: the reason of an end comes first. */
const MAX_TESTED = 2_000;

const NAMED_ERROR = /[A-Za-z](?:Error|Exception)\b/;

const LEVELS: readonly LastWordLevel[] = ['damaged', 'ended', 'complained', 'farewell'];

/** How much a line says about why the program ended; undefined for one that complains of nothing. */
export function levelOf(line: string): LastWordLevel | undefined {
  const tested = line.slice(0, MAX_TESTED);
  if (STACK_FRAME.test(tested) || NO_ERRORS.test(tested)) return undefined;
  if (REPORTS_AN_END.test(tested)) return 'farewell';
  const found = LEVELS.find((level) => LAST_WORD_FORMS.some((row) => row.level === level && row.form.test(tested)));
  // `fatal: exiting` gives no reason, so any other complaint is better.
  return found === 'ended' && isOnlyFarewell(tested) ? 'farewell' : found;
}

function isOnlyFarewell(line: string): boolean {
  const matches = (level: LastWordLevel) => LAST_WORD_FORMS.some((row) => row.level === level && row.form.test(line));
  return matches('farewell') && !matches('complained') && !NAMED_ERROR.test(line);
}

export function isComplaint(line: string): boolean {
  const level = levelOf(line);
  return level !== undefined && level !== 'farewell';
}

/** The line nearest the end that says most, over all the logs. */
export function lastWords(logs: readonly Reading<LogReading>[]): LastWords | undefined {
  const lines = logs.flatMap((log) =>
    log.value.lines.map((line) => ({ log, line, level: ordersIn(line).length > 0 ? undefined : levelOf(line) })),
  );
  for (const wanted of LEVELS) {
    for (const log of logs) {
      const found = lines.findLast(({ log: of, level }) => of === log && level === wanted);
      const claim = found === undefined ? undefined : quoteLine(log, found.line);
      if (found !== undefined && claim !== undefined) return { line: found.line, level: wanted, claim };
    }
  }
  return undefined;
}
