/**
 * Text of logs, labels and models as it may be shown: nothing in it is ever markup (the page makes text nodes only), and characters that
 * would reorder or hide what stands beside them are made visible instead.
 */
export function inertText(text: string): string {
  return text.replaceAll(
    DISGUISES,
    (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const DISGUISES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** What may hide a disguise in JSON: the characters themselves, or their escapes. */
const MAY_DISGUISE = /\\u(?:00|20|fe)/i;
/** Kept as they are: the frozen text is copied to be hashed, what was sent is shown byte for byte, and recorded text is searched for its quotations before it is shown. */
const EXACT: ReadonlySet<string> = new Set(['canonical', 'text', 'excerpt', 'body']);

/** An answer of the server with every string made inert at the door, so that no place that shows one can forget it. */
export function parseInert(json: string): unknown {
  if (!MAY_DISGUISE.test(json) && json.search(DISGUISES) < 0) return JSON.parse(json);
  return JSON.parse(json, (key, value: unknown) =>
    typeof value === 'string' && !EXACT.has(key) ? inertText(value) : value,
  );
}

/** Any value of a decision's data as one line for people. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return inertText(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.map(valueText).join(', ');
  return inertText(JSON.stringify(value));
}

/**
 * `blastRadius` and `blast_radius` as `blast radius`. Of a sentence only the code before its colon is a name; the names further on are those
 * of objects, and stay as they are.
 */
export function plainName(name: string): string {
  const [, code, rest] = /^([A-Za-z_-]+)(: .*)$/s.exec(name) ?? [];
  if (code !== undefined && rest !== undefined) return spaced(code) + inertText(rest);
  return /\s/.test(name) ? inertText(name) : spaced(inertText(name));
}

function spaced(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, (_match, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .replaceAll(/[_-]/g, ' ');
}
