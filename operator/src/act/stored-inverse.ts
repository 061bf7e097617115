import type { Inverse, InverseValue } from '@hephaisto/core/action/types';
import { cleanJsonText } from '@hephaisto/core/signal/clean-text';

/** What the column holds: the inverse as it can be read, and where that is not exact, its values as text that is. */
type Stored = Inverse & { readonly exact?: string };

/**
 * The inverse for its JSON column. Objects may hold text that no JSON column takes; what an undo puts back must be that very text, so
 * the values are kept a second time as JSON in a string. Putting back something similar would be a change that nobody asked for.
 */
export function storedInverse(inverse: Inverse): string {
  const readable = cleanJsonText(inverse);
  if (inverse.kind === 'none' || readable === JSON.stringify(inverse)) return readable;
  return cleanJsonText({ ...inverse, exact: JSON.stringify(inverse.values) });
}

export function inverseOfStored(stored: Stored): Inverse {
  const { exact, ...inverse } = stored;
  return inverse.kind === 'none' || exact === undefined
    ? inverse
    : { ...inverse, values: JSON.parse(exact) as readonly InverseValue[] };
}
