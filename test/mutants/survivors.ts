import type { Reason } from './reasons.ts';

/** Every mutant that may survive. Most are equivalent: the changed code gives the same answers. */
export const REASONS: readonly Reason[] = [];
