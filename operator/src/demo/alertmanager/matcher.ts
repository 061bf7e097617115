import type { Labels } from './alert.ts';

export type Matcher = (labels: Labels) => boolean;

/** Reads `name="value"`, `!=`, `=~`, `!~` (quotes optional, braces allowed); `undefined` for anything else. An absent label is empty. */
export function parseMatcher(text: string): Matcher | undefined {
  const match = /^\s*\{?\s*([a-zA-Z_:][\w:]*)\s*(=~|!~|!=|=)\s*(?:"((?:[^"\\]|\\.)*)"|([^"{}]*))\s*\}?\s*$/.exec(text);
  if (match === null) return undefined;
  const [, name = '', operator, quoted, bare = ''] = match;
  const value = quoted === undefined ? bare.trim() : quoted.replaceAll(/\\(.)/g, '$1');
  if (operator === '=' || operator === '!=') return (labels) => ((labels[name] ?? '') === value) === (operator === '=');
  try {
    const pattern = new RegExp(`^(?:${value})$`);
    return (labels) => pattern.test(labels[name] ?? '') === (operator === '=~');
  } catch {
    return undefined;
  }
}
