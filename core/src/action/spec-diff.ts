import { sameJson } from '../canonical-json.ts';
import { escapePointer, listAt, type RawObject, textAt, valueAt } from './raw-object.ts';

/** One field that an action changes: a path that people can read, with the values before and after as JSON; absent where there was or will be none. */
export interface SpecChange {
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** Leaf differences of two objects' specs, in path order. Lists whose items have names are compared by name, as people speak of them. */
export function specDiff(before: RawObject, after: RawObject): readonly SpecChange[] {
  return walk('spec', valueAt(before, '/spec'), valueAt(after, '/spec')).sort((a, b) =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : 0,
  );
}

function walk(path: string, from: unknown, to: unknown): SpecChange[] {
  if (sameJson(from, to)) return [];
  if (isRecord(from) && isRecord(to))
    return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((key) =>
      walk(member(path, key), from[key], to[key]),
    );
  if (namedItems(from) && namedItems(to)) {
    const names = [...new Set([...from, ...to].map((item) => textAt(item, '/name') ?? ''))];
    return names.flatMap((name) =>
      walk(
        `${path}[${name}]`,
        from.find((item) => textAt(item, '/name') === name),
        to.find((item) => textAt(item, '/name') === name),
      ),
    );
  }
  return [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
}

function member(path: string, key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? `${path}.${key}` : `${path}[${escapePointer(key)}]`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function namedItems(value: unknown): value is readonly RawObject[] {
  const items = listAt({ value }, '/value');
  return Array.isArray(value) && items.every((item) => textAt(item, '/name') !== undefined);
}
