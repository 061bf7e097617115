/** Text that the database can keep: without NUL, which it refuses, and without halves of surrogate pairs, which are no characters. */
export function cleanText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}

/** A JSON value with every text in it cleaned, keys too. Depth is bounded by whoever parsed it. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [cleanText(key), cleanJson(member)]));
  }
  return value;
}

/** What `JSON.stringify` writes, without the escapes of characters that the database refuses in JSON, in keys and values alike. */
export function cleanJsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\u')) return text;
  // An escape begins after an even number of backslashes. Of surrogates only lone halves are written as escapes.
  return text.replaceAll(/(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f]..)/g, (_whole, before: string, code: string) =>
    code === '0000' ? before : `${before}\ufffd`,
  );
}

/** At most `length` characters, with an ellipsis where something was cut. */
export function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
