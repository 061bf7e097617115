/** An API object as the server sent it; only the fields that an action touches are looked at, all others pass through. */
export type RawObject = Readonly<Record<string, unknown>>;

/** The value at a JSON pointer, `undefined` where any part of the way is missing. */
export function valueAt(object: unknown, pointer: string): unknown {
  let here: unknown = object;
  for (const part of pointer.split('/').slice(1)) {
    if (here === null || typeof here !== 'object') return undefined;
    here = (here as Record<string, unknown>)[unescapePointer(part)];
  }
  return here;
}

export function textAt(object: unknown, pointer: string): string | undefined {
  const value = valueAt(object, pointer);
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(object: unknown, pointer: string): number | undefined {
  const value = valueAt(object, pointer);
  return typeof value === 'number' ? value : undefined;
}

export function recordAt(object: unknown, pointer: string): RawObject | undefined {
  const value = valueAt(object, pointer);
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as RawObject) : undefined;
}

export function listAt(object: unknown, pointer: string): readonly unknown[] {
  const value = valueAt(object, pointer);
  return Array.isArray(value) ? value : [];
}

export function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
