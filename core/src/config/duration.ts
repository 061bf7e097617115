import { z } from 'zod';

const MS_PER_UNIT = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d+)(ms|s|m|h|d)$/;

/** Milliseconds of a duration such as `250ms`, `10m` or `14d`; `undefined` when the text is none. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const unit = match[2] as keyof typeof MS_PER_UNIT;
  const milliseconds = Number(match[1]) * MS_PER_UNIT[unit];
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined;
}

/** The shortest exact form, for messages and documents. */
export function formatDuration(milliseconds: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    if (milliseconds >= MS_PER_UNIT[unit] && milliseconds % MS_PER_UNIT[unit] === 0)
      return `${milliseconds / MS_PER_UNIT[unit]}${unit}`;
  }
  return `${milliseconds}ms`;
}

/** Nothing is configured in longer times, and instants so far away still fit the database. */
const LONGEST = '3650d';

/**
 * A configured length of time: written as text with a unit, read as milliseconds. A bare number is refused, since nobody can tell
 * its unit by looking. `min` and `max` are durations too.
 */
export function duration(byDefault: string, bounds: { readonly min?: string; readonly max?: string } = {}) {
  const low = bounds.min === undefined ? 0 : (parseDuration(bounds.min) ?? 0);
  const high = parseDuration(bounds.max ?? LONGEST) ?? 0;
  const range = [
    bounds.min === undefined ? '' : `at least ${bounds.min}`,
    bounds.max === undefined ? '' : `at most ${bounds.max}`,
  ].filter((bound) => bound !== '');
  return z
    .string()
    .transform((text, context) => {
      const milliseconds = parseDuration(text);
      if (milliseconds !== undefined && milliseconds >= low && milliseconds <= high) return milliseconds;
      const beyond = bounds.max === undefined && milliseconds !== undefined && milliseconds > high;
      const bound = [...range, ...(beyond ? [`at most ${LONGEST}`] : [])].join(' and ');
      const message = `expected a duration such as \`10m\`${bound === '' ? '' : `, ${bound}`}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .prefault(byDefault)
    .meta({ format: 'duration' });
}
