import { createRedactor } from '../evidence/redact.ts';
import { cleanText, clip } from './clean-text.ts';
import type { Observation } from './observation.ts';

/** The words of a signal as the database keeps them. */
export interface StoredText {
  readonly reason: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly settledReason: string | undefined;
}

const LONGEST_MESSAGE = 2_000;

/**
 * Takes the secrets out of everything that a signal says and that lists, pages and reports show. The message is computed: a payload that has
 * one of its own loses it. Equal secrets get equal marks within one
 * signal. `clean` is shared by the signals of a batch, whose texts repeat.
 */
export function storedText(
  seen: Pick<Observation, 'reason' | 'message' | 'labels' | 'payload'>,
  settledReason: string | undefined,
  clean: Set<string>,
): StoredText {
  const redactor = createRedactor(clean);
  return {
    reason: redactor.text(cleanText(seen.reason)),
    labels: redactor.deep(seen.labels),
    payload: { ...redactor.deep(seen.payload), message: clip(redactor.text(cleanText(seen.message)), LONGEST_MESSAGE) },
    settledReason: settledReason === undefined ? undefined : redactor.text(cleanText(settledReason)),
  };
}
