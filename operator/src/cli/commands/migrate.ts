import { migrate } from '../../adapters/postgres/migrate.ts';
import { openStorage } from '../../wiring/storage.ts';
import { bootFailure } from '../boot-failure.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { loadConfig } from '../load-config.ts';
import type { Terminal } from '../terminal.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Brings the configured database to this version; names what was applied, one line each. */
export async function migrateDatabase(terminal: Terminal, configFile: string | undefined): Promise<ExitCode> {
  const config = await loadConfig(configFile, terminal.env);
  const progress = (message: string) => terminal.talk(`${message} …\n`);
  try {
    const db = await openStorage(config.database, SILENT, progress);
    try {
      const { applied } = await migrate(db, { onProgress: progress });
      for (const name of applied) terminal.out(`${name}\n`);
      terminal.talk(applied.length === 0 ? 'nothing to do\n' : `${applied.length} applied\n`);
      return EXIT.done;
    } finally {
      await db.close();
    }
  } catch (error: unknown) {
    throw bootFailure(error, config);
  }
}
