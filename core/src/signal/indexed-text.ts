import { cleanText, clip } from './clean-text.ts';
import type { Sha256Hex } from './fingerprint.ts';

/** Longest name that Kubernetes gives an object, in characters. Four of them of any script fit an index row. */
export const LONGEST_NAME = 253;

/** Longest key of a condition that is kept as it came, in characters. */
const LONGEST_KEY = 400;

/** Whether a text can be the name of an object: not empty, not longer than any name, without control characters. */
export function isPossibleName(text: string): boolean {
  // A control character is written with six in a key, which would then outgrow the index.
  return text !== '' && text.length <= LONGEST_NAME && !/\p{Cc}/u.test(text);
}

/** The text as an indexed column can hold it, cut and marked where it is longer than a name. */
export function indexedName(text: string): string {
  return clip(cleanText(text), LONGEST_NAME);
}

/** A key as an indexed column can hold it. A long one is known by its hash: cut, two that begin alike would be one condition. */
export function indexedKey(text: string, sha256: Sha256Hex): string {
  const key = cleanText(text);
  return key.length <= LONGEST_KEY ? key : `sha256:${sha256(key)}`;
}
