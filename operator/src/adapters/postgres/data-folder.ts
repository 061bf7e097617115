import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { StorageRefused } from '@hephaisto/core/ports/database';

export const DATA_FORMAT = 1;
/** The PostgreSQL major that the embedded database writes; its files cannot be read by another one. */
export const EMBEDDED_POSTGRES = 18;
const PRODUCT = 'hephaisto';
const MARKER = 'hephaisto-data.json';
const CLUSTER = 'pgdata';

/** What the folder says about itself. `ready` is false from before the first file of the database until its last. */
interface Marker {
  readonly product: string;
  readonly format: number;
  readonly postgres: number;
  readonly ready: boolean;
}

export type FolderState = { readonly kind: 'new' } | { readonly kind: 'ready' };

export function clusterFolder(folder: string): string {
  return join(folder, CLUSTER);
}

/** Creates the folder where it is missing. Throws `DataFolderForeign` or `DataFolderNotWritable` before anything is written into it. */
export function prepareFolder(folder: string): void {
  try {
    if (existsSync(folder) && !statSync(folder).isDirectory()) {
      throw new StorageRefused(
        'DataFolderForeign',
        `expected \`${folder}\` to be a folder, found a file; name another folder`,
      );
    }
    // What is in it (evidence, hashes of sessions) is its owner's alone; a folder that exists keeps the mode its owner gave it.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw error instanceof StorageRefused ? error : notWritable(folder, error);
  }
  const foreign = existsSync(join(folder, MARKER))
    ? undefined
    : readdirSync(folder).find((name) => !name.startsWith('hephaisto'));
  if (foreign !== undefined) {
    throw new StorageRefused(
      'DataFolderForeign',
      `expected \`${folder}\` to be empty or a data folder of ${PRODUCT}, found \`${foreign}\` and no ${MARKER}; name another folder`,
    );
  }
}

export function notWritable(folder: string, error: unknown): StorageRefused {
  const reason = error instanceof Error ? error.message : String(error);
  return new StorageRefused(
    'DataFolderNotWritable',
    `expected to write into the data folder \`${folder}\`, but ${reason}; check its owner and mode`,
    error,
  );
}

/** Reads what the folder is. Called under the folder's lock. Throws `DataFolderForeign`, `DataFolderNewer` or `DataFolderBroken`. */
export function inspectFolder(folder: string): FolderState {
  const path = join(folder, MARKER);
  if (!existsSync(path)) return { kind: 'new' };
  const marker = parseMarker(folder, readFileSync(path, 'utf8'));
  if (marker.product !== PRODUCT) {
    throw new StorageRefused(
      'DataFolderForeign',
      `expected \`${folder}\` to belong to ${PRODUCT}, found \`${marker.product}\`; name another folder`,
    );
  }
  if (marker.format > DATA_FORMAT || marker.postgres > EMBEDDED_POSTGRES) {
    throw new StorageRefused(
      'DataFolderNewer',
      `expected a data folder of format ${DATA_FORMAT} and PostgreSQL ${EMBEDDED_POSTGRES} at most, found format ${marker.format} and PostgreSQL ${marker.postgres} in \`${folder}\`; use the version of ${PRODUCT} that wrote it`,
    );
  }
  if (marker.postgres < EMBEDDED_POSTGRES) {
    throw broken(
      folder,
      `its files are PostgreSQL ${marker.postgres}'s and this version reads ${EMBEDDED_POSTGRES}'s; start a new folder`,
    );
  }
  if (!marker.ready) return { kind: 'new' };
  const version = existsSync(join(folder, CLUSTER, 'PG_VERSION'))
    ? readFileSync(join(folder, CLUSTER, 'PG_VERSION'), 'utf8').trim()
    : 'none';
  if (version !== String(marker.postgres)) {
    throw broken(
      folder,
      `${MARKER} says PostgreSQL ${marker.postgres} and ${CLUSTER}/PG_VERSION says ${version}; restore a backup or name another folder`,
    );
  }
  return { kind: 'ready' };
}

export function broken(folder: string, finding: string, cause?: unknown): StorageRefused {
  return new StorageRefused('DataFolderBroken', `expected a whole data folder in \`${folder}\`, but ${finding}`, cause);
}

export function markFolder(folder: string, ready: boolean): void {
  const marker: Marker = { product: PRODUCT, format: DATA_FORMAT, postgres: EMBEDDED_POSTGRES, ready };
  const draft = join(folder, `${MARKER}.draft`);
  writeFileSync(draft, `${JSON.stringify(marker, null, 2)}\n`);
  renameSync(draft, join(folder, MARKER));
}

function parseMarker(folder: string, text: string): Marker {
  try {
    const value: unknown = JSON.parse(text);
    if (
      typeof value === 'object' &&
      value !== null &&
      'product' in value &&
      'format' in value &&
      'postgres' in value &&
      typeof value.product === 'string' &&
      typeof value.format === 'number' &&
      typeof value.postgres === 'number'
    ) {
      return {
        product: value.product,
        format: value.format,
        postgres: value.postgres,
        ready: !('ready' in value && value.ready === false),
      };
    }
  } catch {
    // Not JSON: the same finding as JSON of another shape.
  }
  throw broken(folder, `${MARKER} does not hold product, format and postgres; restore a backup or name another folder`);
}
