import assert from 'node:assert/strict';
import { slowness } from './machine.ts';

export interface Measured {
  readonly best: number;
  readonly middle: number;
}

/** How often to measure: at least, for the middle to say something, and at most while none is within the bar. */
interface Tries {
  readonly least: number;
  readonly most: number;
}

const SEVERAL: Tries = { least: 5, most: 12 };
/** For what takes long or changes much: again only when it has to be. */
export const SELDOM: Tries = { least: 1, most: 3 };

/**
 * Measures until one is within the bar, as often as `tries` says: what the product can do is told by its best, since all that stands between
 * is what else the machine was doing. The bar is multiplied by how loaded the machine is. Where several were measured, their middle may be twice
 * that: a product that is mostly slow is slow. Fails with all that was measured.
 */
export async function bestOf(
  what: string,
  withinMs: number,
  measure: (n: number) => Promise<number>,
  tries = SEVERAL,
): Promise<Measured> {
  const times: number[] = [];
  let most = withinMs * slowness();
  const best = (): number => Math.min(...times);
  while (times.length < tries.least || (best() > most && times.length < tries.most)) {
    times.push(Math.round(await measure(times.length + 1)));
    // The load of a minute lags behind what happens now, so the worst that was seen counts.
    most = Math.max(most, withinMs * slowness());
  }
  assert.ok(
    best() <= most,
    `expected ${what} within ${Math.round(most)} ms (as loaded as the machine is), found ${times.join(', ')}`,
  );
  const middle = [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? best();
  assert.ok(
    times.length < SEVERAL.least || middle <= 2 * most,
    `expected half of all times of ${what} within ${Math.round(2 * most)} ms, found ${times.join(', ')}`,
  );
  return { best: best(), middle };
}
