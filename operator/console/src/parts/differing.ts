/** What two values share at their ends, and the part that differs. */
export interface Differing {
  readonly before: string;
  readonly differs: string;
  readonly after: string;
}

/** Shorter than this in common, and the whole of both is the difference. */
const LEAST_COMMON = 3;

/**
 * Splits `value` into what it shares with `other` at its beginning and end, and what is different between: a zero among eights, or a letter
 * that looks like one. Undefined where the two have too little in common for such a mark to say anything.
 */
export function differing(value: string, other: string): Differing | undefined {
  if (value === other) return undefined;
  const most = Math.min(value.length, other.length);
  let start = 0;
  while (start < most && value[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && value.at(-1 - end) === other.at(-1 - end)) end += 1;
  if (start + end < LEAST_COMMON) return undefined;
  return {
    before: value.slice(0, start),
    differs: value.slice(start, value.length - end),
    after: value.slice(value.length - end),
  };
}
