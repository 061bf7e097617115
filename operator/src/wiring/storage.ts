import type { Config } from '@hephaisto/core/config/schema';
import type { Database } from '@hephaisto/core/ports/database';
import type { Logger } from '@hephaisto/core/ports/telemetry';
import { openPglite } from '../adapters/postgres/pglite.ts';
import { openPostgres } from '../adapters/postgres/postgres.ts';

/** Opens the database that the configuration names. Rejects with `StorageRefused` when it is not ours to open. */
export async function openStorage(
  config: Config['database'],
  log: Logger,
  onProgress: (message: string) => void,
): Promise<Database> {
  const onTrouble = (message: string): void => log.warn('database connection in trouble', { detail: message });
  if (config.kind === 'embedded')
    return openPglite({
      folder: config.folder,
      onProgress,
      statementTimeoutMs: config.statementTimeout,
      onTrouble,
    });
  if (config.url === undefined) throw new Error('expected a connection string, found none; this is a bug in hephaisto');
  return openPostgres({
    url: config.url,
    poolSize: config.poolSize,
    applicationName: 'hephaisto',
    statementTimeoutMs: config.statementTimeout,
    onTrouble,
  });
}
