import type { StorageRefusal } from '@hephaisto/core/ports/database';

/** A migration in the product: folder name and SHA-256 of its SQL file, as the history records them. */
export interface Migration {
  readonly name: string;
  readonly checksum: string;
  readonly sql: string;
}

/** A row of the history. */
export interface AppliedMigration {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished_at: Date | null;
  readonly rolled_back_at: Date | null;
}

export type MigrationStep =
  | { readonly kind: 'apply'; readonly migration: Migration; readonly remaining: number }
  | { readonly kind: 'up-to-date'; readonly reason: 'every-migration-applied'; readonly message: string }
  | { readonly kind: 'refuse'; readonly reason: StorageRefusal; readonly message: string };

/**
 * Decides what to do next with a database from what the product brings and what the database records. `hasOtherTables` says whether there
 * are tables without any history.
 */
export function nextMigration(
  known: readonly Migration[],
  history: readonly AppliedMigration[],
  hasOtherTables: boolean,
): MigrationStep {
  const applied = history.filter((row) => row.rolled_back_at === null);
  const refusal = refuse(known, applied, hasOtherTables);
  if (refusal !== undefined) return refusal;
  const names = new Set(applied.map((row) => row.migration_name));
  const pending = known.filter((migration) => !names.has(migration.name));
  const [next] = pending;
  if (next !== undefined) return { kind: 'apply', migration: next, remaining: pending.length };
  return {
    kind: 'up-to-date',
    reason: 'every-migration-applied',
    message: `all ${known.length} migrations are applied`,
  };
}

function refuse(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  hasOtherTables: boolean,
): MigrationStep | undefined {
  if (applied.length === 0 && hasOtherTables) {
    return refusal(
      'DatabaseForeign',
      'expected an empty database or one of hephaisto, found tables and no migration history; name another database',
    );
  }
  const byName = new Map(known.map((migration) => [migration.name, migration]));
  const unfinished = applied.find((row) => row.finished_at === null);
  if (unfinished !== undefined) {
    return refusal(
      'MigrationFailed',
      `expected every started migration to have finished, found \`${unfinished.migration_name}\` unfinished; restore the database or mark that row as rolled back`,
    );
  }
  const unknown = applied.filter((row) => !byName.has(row.migration_name));
  if (unknown.length > 0 && unknown.length === applied.length) {
    return refusal(
      'DatabaseForeign',
      `expected a database of hephaisto, found the migration history of another product (\`${unknown[0]?.migration_name}\`); name another database`,
    );
  }
  if (unknown.length > 0) {
    return refusal(
      'DatabaseNewer',
      `expected a database that this version knows, found migration \`${unknown[0]?.migration_name}\` of a newer one; use the version that wrote it, or newer`,
    );
  }
  const changed = applied.find((row) => byName.get(row.migration_name)?.checksum !== row.checksum);
  if (changed !== undefined) {
    return refusal(
      'MigrationChanged',
      `expected migration \`${changed.migration_name}\` to be as it was when applied, found another text in this version; a landed migration is never edited: add a new one`,
    );
  }
  return undefined;
}

function refusal(reason: StorageRefusal, message: string): MigrationStep {
  return { kind: 'refuse', reason, message };
}
