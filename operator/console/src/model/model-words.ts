import type { IncidentReport } from '@hephaisto/core/report/incident';
import type { Tone } from '../parts/words.ts';

export type Look = IncidentReport['investigations'][number];

interface Word {
  readonly word: string;
  readonly tone: Tone;
}

/** What became of the model's part of a look, in two or three words. */
const WORDS: Readonly<Record<string, Word>> = {
  concluded: { word: 'Concluded', tone: 'good' },
  waiting: { word: 'Waiting', tone: 'calm' },
  'under-way': { word: 'Looking', tone: 'run' },
  'proven-by-rules': { word: 'Not asked: proven', tone: 'good' },
  unavailable: { word: 'Did not answer', tone: 'warn' },
  'over-budget': { word: 'Out of budget', tone: 'warn' },
  refused: { word: 'Refused', tone: 'warn' },
  truncated: { word: 'Cut off', tone: 'warn' },
  'context-overflow': { word: 'Too much to read', tone: 'warn' },
  stalled: { word: 'Got nowhere', tone: 'warn' },
  'invalid-conclusion': { word: 'No usable answer', tone: 'warn' },
  stopped: { word: 'Stopped', tone: 'warn' },
  'owner-lost': { word: 'Interrupted', tone: 'warn' },
};

export function modelWord(reason: string): Word {
  return Object.hasOwn(WORDS, reason) ? (WORDS[reason] ?? NO_WORD) : NO_WORD;
}

const NO_WORD: Word = { word: 'Did not look', tone: 'warn' };

/** Dollars to the tenth of a cent, and to less where that is all there is. */
export function dollars(amount: number): string {
  if (amount === 0) return '$0';
  return amount < 0.001 ? '< $0.001' : `$${amount.toFixed(amount < 0.1 ? 3 : 2)}`;
}

/** `812`, `12.4k`, `1.2M`. */
export function tokensText(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

export function milliseconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
