import type { Readable } from '@hephaisto/core/principal/access';

/** Collects the conditions of a WHERE clause with their values, numbering the placeholders as they come. */
export interface Conditions {
  /** `?` in the text stands for the value. */
  add(text: string, value: unknown): void;
  /** A condition without value. */
  addPlain(text: string): void;
  where(): string;
  readonly values: readonly unknown[];
  /** The placeholder of a further value. */
  place(value: unknown): string;
}

export function createConditions(): Conditions {
  const texts: string[] = [];
  const values: unknown[] = [];
  function place(value: unknown): string {
    values.push(value);
    return `$${values.length}`;
  }
  return {
    add: (text, value) => texts.push(text.replaceAll('?', place(value))),
    addPlain: (text) => texts.push(text),
    where: () => (texts.length === 0 ? '' : `WHERE ${texts.join(' AND ')}`),
    values,
    place,
  };
}

/** Cuts rows to the namespaces the caller may read; what lies in none is left to those who may read everything. */
export function restrictTo(conditions: Conditions, column: string, readable: Readable): void {
  if (readable.kind === 'everything') return;
  conditions.add(`${column} = ANY(?::text[])`, readable.namespaces);
}

/** Text for ILIKE in which `%` and `_` are themselves. */
export function likeAnywhere(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`;
}
