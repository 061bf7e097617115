import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { EngineModule } from './engine-module.ts';

/**
 * How the embedded engine is started. Measured with an empty database on Linux: 128 MB of shared buffers cost 70 MB resident that
 * an operator's tables never use. `fsync` stays off, as the engine ships: every commit is written to the kernel before it is answered, so
 * killing the process loses nothing; the engine's file layer has no fsync to call, so power loss is not covered and turning it on only costs time.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '8MB',
  max_connections: '5',
  wal_buffers: '256kB',
  maintenance_work_mem: '16MB',
  min_wal_size: '32MB',
  max_wal_size: '64MB',
  timezone: 'UTC',
  synchronous_commit: 'on',
};

export interface EngineOptions {
  /** Folder of the database files; in memory when absent. */
  readonly folder?: string;
  /** A tar of a database folder to start from. */
  readonly load?: Blob;
  readonly settings?: Readonly<Record<string, string>>;
  /** The engine's WebAssembly, compiled; compiled here when absent. */
  readonly module?: EngineModule;
  /** Receives each line of the engine's own log. */
  readonly onLog?: (line: string) => void;
}

/**
 * Starts the engine on the calling thread, which every statement then blocks until its end; creates the database where the folder is
 * empty, which takes seconds and twice the memory.
 */
export function startEngine(options: EngineOptions): Promise<PGlite> {
  const { folder, load, module, onLog } = options;
  const settings = Object.entries({ ...SETTINGS, ...options.settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const start: PGliteOptions = {
    startParams: [...PGlite.defaultStartParams, ...settings],
    relaxedDurability: false,
    extensions: { vector },
    ...(folder !== undefined && { dataDir: folder }),
    ...(load !== undefined && { loadDataDir: load }),
    ...(module !== undefined && { pgliteWasmModule: module }),
    ...(onLog !== undefined && {
      onStderr: (line) => {
        onLog(line);
        return false;
      },
    }),
  };
  return PGlite.create(start);
}
