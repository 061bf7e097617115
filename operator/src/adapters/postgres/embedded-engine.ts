import { setFlagsFromString } from 'node:v8';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';

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

/**
 * The engine's 10 MB of WebAssembly are compiled once, by the baseline compiler. Measured with the optimising one on top: a peak of 820 MB
 * instead of 260 at the start of a whole operator, starts two to three times as long on two busy cores, and queries no faster within the
 * first minutes, since compiling takes the time that it saves. Without effect once the process has compiled anything else, as Node itself does:
 * processes that serve are started with it.
 */
const BASELINE_COMPILER = '--liftoff-only';

export interface EngineOptions {
  /** Folder of the database files; in memory when absent. */
  readonly folder?: string;
  /** A tar of a database folder to start from. */
  readonly load?: Blob;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts the engine; creates the database where the folder is empty, which takes seconds and twice the memory. */
export function startEngine(options: EngineOptions): Promise<PGlite> {
  const settings = Object.entries({ ...SETTINGS, ...options.settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  setFlagsFromString(BASELINE_COMPILER);
  const start: PGliteOptions = {
    startParams: [...PGlite.defaultStartParams, ...settings],
    relaxedDurability: false,
    extensions: { vector },
    ...(options.folder === undefined ? {} : { dataDir: options.folder }),
    ...(options.load === undefined ? {} : { loadDataDir: options.load }),
  };
  return PGlite.create(start);
}
