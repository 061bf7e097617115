import { ordersIn } from '../evidence/taint.ts';
import type { FieldChange } from '../finding/finding.ts';
import { isComplaint } from './last-words.ts';

/**
 * How a line names a change. `value`: the line holds the new value, or the field where the change took the value away. `field`: the line
 * holds only the field's name.
 */
export type Naming = 'value' | 'field';

/** How a complaint names the change. Lines without a complaint name nothing: many programs print their whole configuration at start. */
export function namingOf(line: string, change: FieldChange): Naming | undefined {
  const name = fieldName(change.path);
  const hasName = name !== undefined && holdsWord(line, name);
  const values = newValues(change);
  const hasValue = values.some((value) => holdsWord(line, value) && (hasName || isTellingIn(line, value)));
  if (!hasName && !hasValue) return undefined;
  if (!isComplaint(line) || ordersIn(line).length > 0) return undefined;
  return hasValue || values.length === 0 ? 'value' : 'field';
}

/** Names the container and its pod, never the reason; a value that equals a name would be found in it by chance. */
const BACK_OFF = /^back-off .{0,40}restarting failed container/i;

/** Whether the kubelet's or runtime's own message names the new value. It is always a complaint, and it quotes short names exactly. */
export function stateNamingOf(message: string, change: FieldChange): boolean {
  if (BACK_OFF.test(message) || ordersIn(message).length > 0) return false;
  return newValues(change).some((value) => (isTelling(value) || isReference(change.path)) && holdsWord(message, value));
}

/** A log calls a variable or a volume by its name. Other fields have no name that a program would print. */
function fieldName(path: string): string | undefined {
  return /\.(?:env|volumes)\[([^\]]+)\]/.exec(path)?.[1];
}

/** The words of the new value that the old one does not hold: a list counts by item, a flag also by its name and by its value. */
function newValues(change: FieldChange): readonly string[] {
  const before = new Set(wordsOf(change.from));
  return wordsOf(change.to).filter((word) => !before.has(word));
}

function wordsOf(value: string | undefined): readonly string[] {
  if (value === undefined || value === '') return [];
  const items = listItems(value) ?? [value];
  if (items.length === 1 && items[0] === value) return items;
  return items.flatMap((item) => {
    const equals = item.indexOf('=');
    return equals < 0 ? [item] : [item, item.slice(0, equals), item.slice(equals + 1)];
  });
}

function listItems(value: string): readonly string[] | undefined {
  if (!value.startsWith('[')) return undefined;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : undefined;
  } catch {
    // A value that was cut is no JSON any more; its text is compared as it is.
    return undefined;
  }
}

/** Names of Secrets, ConfigMaps, keys and claims: the kubelet quotes them exactly, however short they are. */
function isReference(path: string): boolean {
  return /\.valueFrom|\.envFrom|\.volumes/.test(path);
}

/** A value that is an ordinary word, such as `text` or `http`, is in a complaint by chance; in quotation marks it is meant. */
function isTellingIn(line: string, value: string): boolean {
  if (!isTelling(value)) return false;
  return !/^[A-Za-z]{1,12}$/.test(value) || QUOTES.some(([open, close]) => line.includes(`${open}${value}${close}`));
}

const QUOTES: readonly (readonly [string, string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
  ['=', ''],
];

/** Short or common values are in many lines by chance. */
function isTelling(value: string): boolean {
  return value.length >= 4 && !isCommon(value);
}

function isCommon(value: string): boolean {
  return /^(?:true|false|null|none|info|warn|error|debug|\d{1,4})$/i.test(value);
}

function holdsWord(line: string, word: string): boolean {
  if (word === '') return false;
  let at = line.indexOf(word);
  while (at >= 0) {
    const before = line.charAt(at - 1);
    const after = line.charAt(at + word.length);
    if (!/[A-Za-z0-9_]/.test(before) && !/[A-Za-z0-9_]/.test(after)) return true;
    at = line.indexOf(word, at + 1);
  }
  return false;
}
