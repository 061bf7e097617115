import { cleanText, clip } from './clean-text.ts';

/** Kept of each alert. Prometheus itself allows far more; nobody reads it, and every list, prompt and message would carry it. */
export const MAX_LABELS = 64;
export const MAX_LABEL_NAME_CHARACTERS = 128;
export const MAX_LABEL_CHARACTERS = 1_024;
export const MAX_ANNOTATION_CHARACTERS = 8_192;
/** Of one alert as JSON. */
export const MAX_PAYLOAD_CHARACTERS = 64 * 1024;
/** Warnings of one alert; more of them would tell nothing new. */
export const MAX_WARNINGS = 20;

/** Set on an alert that lost something, so that everybody who reads its labels sees it. */
export const TRUNCATED_LABEL = 'hephaisto_truncated';

export interface BoundedTexts {
  readonly texts: Readonly<Record<string, string>>;
  /** What was left out or cut; one sentence each. */
  readonly warnings: readonly string[];
  readonly isTruncated: boolean;
}

/**
 * Texts by name, bounded in number and length. Those named in `first` are kept before all others, whatever their place: they say what the
 * alert is about.
 */
export function boundTexts(
  value: Readonly<Record<string, unknown>>,
  options: { readonly field: string; readonly maxCharacters: number; readonly first: readonly string[] },
): BoundedTexts {
  const { field, maxCharacters } = options;
  const names = Object.keys(value);
  const first = options.first.filter((name) => Object.hasOwn(value, name));
  const chosen = [...new Set([...first, ...names.slice(0, 2 * MAX_LABELS)])];
  const fitting = chosen.filter((name) => name.length <= MAX_LABEL_NAME_CHARACTERS).slice(0, MAX_LABELS);
  const warnings: string[] = [];
  let isTruncated = fitting.length < names.length;
  if (isTruncated)
    warnings.push(
      `${field}: expected at most ${MAX_LABELS} with names of at most ${MAX_LABEL_NAME_CHARACTERS} characters, found ${names.length}; ${names.length - fitting.length} left out`,
    );
  const texts: [string, string][] = [];
  for (const name of fitting) {
    const member = value[name];
    const text = cleanText(typeof member === 'string' ? member : String(JSON.stringify(member)));
    const key = cleanText(name);
    if (typeof member !== 'string') warnings.push(`${field}.${clip(key, 60)}: expected text; written as JSON`);
    if (text.length > maxCharacters) {
      isTruncated = true;
      warnings.push(
        `${field}.${clip(key, 60)}: expected at most ${maxCharacters} characters, found ${text.length}; the rest is left out`,
      );
    }
    texts.push([key, clip(text, maxCharacters)]);
  }
  return { texts: Object.fromEntries(texts), warnings, isTruncated };
}
