import { call } from './call.ts';

/**
 * An answer with the moment it came. Ages and countdowns in it are seconds at that moment, by the server's clock; counting on from
 * `at`, by the page's clock that never jumps, keeps them right on a device whose wall clock is wrong.
 */
export interface Stamped<T> {
  readonly value: T;
  /** `performance.now()` when the answer came. */
  readonly at: number;
}

export async function stamped<T>(path: string, signal: AbortSignal): Promise<Stamped<T>> {
  const value = await call<T>('GET', path, { signal });
  return { value, at: performance.now() };
}
