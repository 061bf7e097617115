import { finish, type Steps } from '../steps.ts';
import { findSecrets } from './secrets/find-secrets.ts';
import { looksSecret } from './secrets/looks-secret.ts';
import { isSecret } from './secrets/named-values.ts';
import { isSensitiveName, sensitivityOf } from './secrets/sensitive-name.ts';
import { isMark } from './secrets/span.ts';

/**
 * Takes secrets out of text and objects before anything is stored, shown or sent. Equal secrets get equal marks within one redactor,
 * so that a changed one still reads as changed; the marks count up and say nothing of the values.
 */
export interface Redactor {
  text(text: string): string;
  /** The same structure with its strings redacted; string values under a sensitive name go whole. */
  deep<T>(value: T): T;
  /** The same as `deep`, in steps between which the caller may let others work: an answer of megabytes would hold the event loop. */
  deepInSteps<T>(value: T): Steps<T>;
  /** How many distinct values were taken out. */
  readonly found: number;
}

/** Beyond this many distinct secrets the marks no longer count, so that a log of nothing but tokens keeps memory bounded. */
const MOST_NUMBERED = 1_000;

/** `pw=x` and `-px` are the shortest texts that hold one. */
const SHORTEST_SECRET = 4;
/** Nesting beyond this is left out: only a structure made to exhaust its reader is that deep. */
const MAX_DEPTH = 100;

/** Longest text of which is remembered that it has no secret, and how many of them. */
const LONGEST_REMEMBERED = 256;
const MAX_REMEMBERED = 10_000;

/**
 * A redactor. `clean` remembers short texts without secrets. Pass one set to all redactors of texts that repeat, such as the labels of a
 * batch of alerts.
 */
export function createRedactor(clean: Set<string> = new Set()): Redactor {
  const marks = new Map<string, string>();

  function mark(secret: string): string {
    const known = marks.get(secret);
    if (known !== undefined) return known;
    if (marks.size >= MOST_NUMBERED) return '[redacted]';
    const fresh = `[redacted:${marks.size + 1}]`;
    marks.set(secret, fresh);
    return fresh;
  }

  function text(original: string): string {
    return isClean(original) ? original : finish(textInSteps(original));
  }

  function isClean(original: string): boolean {
    return original.length < SHORTEST_SECRET || clean.has(original);
  }

  function* textInSteps(original: string): Steps<string> {
    if (isClean(original)) return original;
    const spans = yield* findSecrets(original);
    if (spans.length === 0) {
      if (original.length <= LONGEST_REMEMBERED && clean.size < MAX_REMEMBERED) clean.add(original);
      return original;
    }
    let redacted = '';
    let from = 0;
    for (const span of spans) {
      redacted += original.slice(from, span.from) + mark(original.slice(span.from, span.to));
      from = span.to;
    }
    return redacted + original.slice(from);
  }

  function* member(
    parent: Readonly<Record<string, unknown>>,
    key: string,
    value: unknown,
    depth: number,
  ): Steps<unknown> {
    const sensitive = (isSensitiveName(key) && !isObjectName(key, value)) || (key === 'value' && namesSecret(parent));
    if (
      !sensitive &&
      typeof value === 'string' &&
      sensitivityOf(key) === 'possible' &&
      isSecret(value, true, 'possible')
    )
      return isMark(value) ? value : mark(value);
    if (!sensitive) return yield* any(value, depth, parent, key);
    if (typeof value === 'string') return value === '' || isMark(value) ? value : mark(value);
    // Tokens are counted, passwords are not.
    if (typeof value === 'number' && sensitivityOf(key) === 'password') return mark(String(value));
    if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
      return value.map((item) => (item === '' || isMark(item) ? item : mark(item)));
    return yield* any(value, depth, parent, key);
  }

  function* any(
    value: unknown,
    depth: number,
    parent?: Readonly<Record<string, unknown>>,
    key?: string,
  ): Steps<unknown> {
    if (typeof value === 'string') return isClean(value) ? value : yield* textInSteps(value);
    if (depth > MAX_DEPTH) return '[nested too deep]';
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const [index, item] of value.entries()) items.push(yield* listItem(value, item, index, depth));
      return items;
    }
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    const record = value as Readonly<Record<string, unknown>>;
    // `{name: 'DB_PASSWORD', source: {kind: 'value', value: …}}`: the name stands one level above the value.
    const inherited =
      key === 'source' && parent !== undefined && typeof parent.name === 'string' ? parent.name : undefined;
    const named = inherited !== undefined && record.kind === 'value' ? { ...record, name: inherited } : record;
    const members: [string, unknown][] = [];
    for (const [childKey, child] of Object.entries(record))
      members.push([text(childKey), yield* member(named, childKey, child, depth + 1)]);
    yield;
    return Object.fromEntries(members);
  }

  function* listItem(list: readonly unknown[], item: unknown, index: number, depth: number): Steps<unknown> {
    const previous = list[index - 1];
    const afterFlag = typeof previous === 'string' && /^--?[\w-]{1,64}$/.test(previous) && isSensitiveName(previous);
    if (typeof item === 'string' && afterFlag && !item.startsWith('-') && !isMark(item)) return mark(item);
    return yield* any(item, depth + 1);
  }

  return {
    text,
    deep: <T>(value: T): T => finish(any(value, 0)) as T,
    deepInSteps: <T>(value: T): Steps<T> => any(value, 0) as Steps<T>,
    get found() {
      return marks.size;
    },
  };
}

/** Redacts one text on its own. */
export function redactText(text: string): string {
  return createRedactor().text(text);
}

/** `secret: db-credentials`, as labels and volumes have it: the name of a Secret, which an operator needs and nobody can use. */
function isObjectName(key: string, value: unknown): boolean {
  if (!/^(?:exported_)?secret$/.test(key) || typeof value !== 'string') return false;
  return value.length <= 253 && /^[a-z]+(?:[-.][a-z0-9]+)+$/.test(value) && !looksSecret(value);
}

function namesSecret(parent: Readonly<Record<string, unknown>>): boolean {
  return typeof parent.name === 'string' && isSensitiveName(parent.name);
}
