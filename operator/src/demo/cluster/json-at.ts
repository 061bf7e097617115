/** Reads of JSON whose shape nobody has checked: each answers with what is there when it has the type, and else with nothing. */

export type Json = Record<string, unknown>;

export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path) {
    if (here === null || typeof here !== 'object' || !Object.hasOwn(here, step)) return undefined;
    here = (here as Record<string | number, unknown>)[step];
  }
  return here;
}

export function textAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function recordAt(value: unknown, ...path: readonly (string | number)[]): Json {
  const found = at(value, ...path);
  return isRecord(found) ? found : {};
}

export function textsAt(value: unknown, ...path: readonly (string | number)[]): readonly string[] {
  return listAt(value, ...path).filter((entry) => typeof entry === 'string');
}

export function isRecord(value: unknown): value is Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
