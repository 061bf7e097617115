import { given, instantAt, type Raw, recordAt, recordsAt, textAt } from './raw.ts';

/** Who last wrote a field, as the API server recorded it. */
export interface FieldWriter {
  readonly manager: string;
  readonly at?: Date;
}

/** A manager names itself, so its name is bounded like any outside text. The API server allows 128 characters. */
const LONGEST_MANAGER = 128;

/** The newest entry of `managedFields` that holds the field, such as `['spec', 'paused']`; undefined where none does. */
export function writerOf(object: Raw, path: readonly string[]): FieldWriter | undefined {
  return recordsAt(recordAt(object, 'metadata'), 'managedFields')
    .filter((entry) => holds(recordAt(entry, 'fieldsV1'), path))
    .map((entry) => ({
      manager: (textAt(entry, 'manager') ?? '').slice(0, LONGEST_MANAGER).toWellFormed(),
      ...given('at', instantAt(entry, 'time')),
    }))
    .filter(({ manager }) => manager !== '')
    .sort((a, b) => (b.at?.getTime() ?? 0) - (a.at?.getTime() ?? 0))[0];
}

function holds(fields: Raw, path: readonly string[]): boolean {
  const parent = recordAt(fields, ...path.slice(0, -1).map((key) => `f:${key}`));
  return parent[`f:${path.at(-1) ?? ''}`] !== undefined;
}
