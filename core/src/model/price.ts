import type { TokenUsage } from './message.ts';

/** US dollars for a million tokens, and the day on which somebody looked them up. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Read from the provider's cache; the input price where there is none. */
  readonly cacheRead?: number;
  /** Written to it; the input price where there is none. */
  readonly cacheWrite?: number;
  /** ISO date. */
  readonly asOf: string;
}

const PER = 1_000_000;

/** What a call cost, in dollars to the millionth, rounded up so that many small calls never count as none. */
export function costOf(usage: TokenUsage, price: Price): number {
  const fresh = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
  const dollars =
    (fresh * price.input +
      usage.cacheRead * (price.cacheRead ?? price.input) +
      usage.cacheWrite * (price.cacheWrite ?? price.input) +
      usage.output * price.output) /
    PER;
  return roundUp(dollars);
}

/** The most that a call can cost: all of it fresh, and an answer as long as it may be. */
export function reservationOf(inputTokens: number, maxOutputTokens: number, price: Price): number {
  const dearest = Math.max(price.input, price.cacheWrite ?? 0);
  return roundUp((inputTokens * dearest + maxOutputTokens * price.output) / PER);
}

function roundUp(dollars: number): number {
  // Floating point must not turn an exact amount into one millionth more.
  return Math.max(0, Math.ceil(dollars * PER - 1e-6) / PER);
}
