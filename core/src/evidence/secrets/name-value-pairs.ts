import { type ReadValue, readValue } from './read-value.ts';
import { matchAt } from './span.ts';

/** What stands before a name that is itself a value: `name: `, `"key": "`, `ParameterKey=`, `variable "`. */
const NAMED_BY = /(?:(?:name|key)\\{0,7}["']?\s{0,4}[:=]\s{0,4}|\bvariable )\\{0,7}["']?$/i;
const STAMP = '(?:\\d{4}-\\d\\d-\\d\\dT[\\d:.+Z-]{4,32} )?';
const MEMBER =
  '\\\\{0,7}["\']?[\\w.-]{1,32}\\\\{0,7}["\']?\\s?:\\s?\\\\{0,7}["\']?[\\w./-]{0,64}\\\\{0,7}["\']?\\s?,\\s{0,8}';
const VALUE = '\\\\{0,7}["\']?(?:\\w{1,16})?(?:value|val)\\\\{0,7}["\']?[ \\t]{0,4}[:=][ \\t]{0,8}';
/** From the end of a name to its value, on the next line as well, also of a diff. */
// linear: made of the constants above, each of bounded length
const AFTER_NAME = new RegExp(
  `\\\\{0,7}["'](?:\\r?\\n){2}|\\\\{0,7}["']?[ \\t]{0,4},?\\s{0,64}${STAMP}[\\s+-]{0,64}(?:${MEMBER}){0,3}${VALUE}`,
  'iy',
);
const NEXT_OF_DIFF = /\\{0,7}["']?\r?\n[+-][ \t]{1,64}value:[ \t]{1,8}/y;
const ELEMENT_VALUE =
  /\\{0,7}["']?[ \t]?\{\s{0,64}(?:\w{1,32}\s{0,8}=\s{0,8}[^\n]{0,128}\n\s{0,64}){0,4}default\s{0,8}=\s{0,8}/y;
/** From the end of a value to the name that follows it. */
const BEFORE_NAME = /\\{0,7}["']?,?[ \t]{0,8}(?:\r?\n)?(?:\d{4}-\d\d-\d\dT[\d:.+Z-]{4,32} )?[\s+-]{0,64}$/;
const NAME_KEY = /(?:\\{0,7}["']?\w{0,16}(?:name|key)|[+-]?\s{0,64}value)\\{0,7}["']?\s{0,4}[:=]\s{0,4}\\{0,7}["']?$/i;
const VALUE_KEY = /^val(?:ue)?\\{0,7}["']?[ \t]{0,4}[:=][ \t]{0,4}/i;
/** A longer value is read on by its line, not here. */
const LONGEST_VALUE = 64 * 1_024;
/** Longest text before a name that is searched for its value. */
const LONGEST_PAIR = 320;

/** The values that belong to the name `[begin, end)`, behind it or before it: `{name: DB_PASSWORD, value: x}` in any notation and order. */
export function namedValues(text: string, begin: number, end: number, before: string): readonly ReadValue[] {
  if (!NAMED_BY.test(before)) return [];
  const its = matchAt(AFTER_NAME, text, end) ?? matchAt(ELEMENT_VALUE, text, end);
  if (its !== null) {
    const at = end + its[0].length;
    const value = readValue(text, at, { limit: Math.min(text.length, at + LONGEST_VALUE) });
    const next = matchAt(NEXT_OF_DIFF, text, value.to);
    return next === null
      ? [value]
      : [value, readValue(text, value.to + next[0].length, { limit: Math.min(text.length, value.to + LONGEST_VALUE) })];
  }
  const value = valueBefore(text, begin);
  if (value === undefined) return [];
  const earlier = valueBefore(text, value.from);
  return earlier === undefined ? [value] : [earlier, value];
}

function valueBefore(text: string, end: number): ReadValue | undefined {
  const offset = Math.max(0, end - LONGEST_PAIR);
  const before = text.slice(offset, end);
  const key = NAME_KEY.exec(before.slice(-64));
  if (key === null) return undefined;
  const keyAt = before.length - key[0].length;
  const found = before.toLowerCase().lastIndexOf('val', keyAt - 1);
  const prefix = found < 0 ? null : VALUE_KEY.exec(before.slice(found, found + 32));
  if (prefix === null) return undefined;
  const value = readValue(text, offset + found + prefix[0].length, { limit: offset + keyAt });
  if (value.to > offset + keyAt || !BEFORE_NAME.test(`${text.slice(value.to, offset + keyAt)}`)) return undefined;
  return value;
}
