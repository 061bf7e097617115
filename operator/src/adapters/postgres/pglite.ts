import { execFile } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PGlite } from '@electric-sql/pglite';
import {
  type Database,
  type Sql,
  StorageRefused,
  StoreUnavailable,
  type TransactionOptions,
} from '@hephaisto/core/ports/database';
import { Breath } from './breath.ts';
import { broken, clusterFolder, inspectFolder, markFolder, notWritable, prepareFolder } from './data-folder.ts';
import { startEngine } from './embedded-engine.ts';
import { EngineStatements } from './engine-statements.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import { Mutex } from './mutex.ts';
import { assertChannel } from './notification-listener.ts';
import { isStalePlan, storeError } from './sqlstate.ts';
import { retryContention, runTransaction, type Session, type StatementResult } from './transaction.ts';
import { TransactionScope } from './transaction-scope.ts';

export interface PgliteOptions {
  /** A folder, created where missing, or `memory`. */
  readonly folder: string;
  /** With `memory`: the tar of a database folder to start from. */
  readonly load?: Blob;
  /** Server settings; tests move `hephaisto.clock_offset` with them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Told when something takes seconds; one lower-case sentence. */
  readonly onProgress?: (message: string) => void;
}

/**
 * Opens the embedded database. Rejects with `StorageRefused` when the folder is locked by a live process, foreign, broken, newer or not
 * writable. The folder is this process's alone until `close`.
 */
export async function openPglite(options: PgliteOptions): Promise<Database> {
  if (options.folder === 'memory') {
    const { load, settings } = options;
    return new PgliteDatabase(await startEngine({ ...(load && { load }), ...(settings && { settings }) }), undefined);
  }
  const folder = resolve(options.folder);
  prepareFolder(folder);
  const lock = lockOrRefuse(folder);
  try {
    if (inspectFolder(folder).kind === 'new') await createCluster(folder, options.onProgress);
    return new PgliteDatabase(await openCluster(folder, options.settings), lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The port over an engine that is already running; closing it closes the engine. */
export function databaseOver(engine: PGlite): Database {
  return new PgliteDatabase(engine, undefined);
}

function lockOrRefuse(folder: string): FolderLock {
  try {
    return lockFolder(folder);
  } catch (error) {
    throw error instanceof StorageRefused ? error : notWritable(folder, error);
  }
}

/**
 * Creates the database files in a second process, because creating them needs a second engine whose memory this process would keep, and
 * under a working name, so that a start that was cut off leaves nothing that looks whole.
 */
async function createCluster(folder: string, onProgress: PgliteOptions['onProgress']): Promise<void> {
  onProgress?.(`creating the database in ${folder}; this takes a few seconds, once`);
  const draft = `${clusterFolder(folder)}.draft`;
  try {
    markFolder(folder, false);
    rmSync(draft, { recursive: true, force: true });
    rmSync(clusterFolder(folder), { recursive: true, force: true });
    const script = fileURLToPath(new URL('./initialise-folder.ts', import.meta.url));
    await promisify(execFile)(process.execPath, [script, draft], { timeout: 120_000 });
    renameSync(draft, clusterFolder(folder));
    markFolder(folder, true);
  } catch (error) {
    throw notWritable(folder, error);
  }
}

async function openCluster(folder: string, settings: PgliteOptions['settings']): Promise<PGlite> {
  try {
    return await startEngine({ folder: clusterFolder(folder), ...(settings && { settings }) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw broken(
      folder,
      `the database in it does not start (${reason}); restore a backup or name another folder`,
      error,
    );
  }
}

class PgliteDatabase implements Database {
  readonly kind = 'pglite';
  private readonly engine: PGlite;
  private readonly lock: FolderLock | undefined;
  private readonly mutex = new Mutex();
  private readonly breath = new Breath();
  private readonly scope = new TransactionScope();
  private readonly session: Session;
  private closing: Promise<void> | undefined;

  constructor(engine: PGlite, lock: FolderLock | undefined) {
    this.engine = engine;
    this.lock = lock;
    this.session = new PgliteSession(engine);
  }

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.single(text, values)).rows as readonly Row[];
  }

  async execute(text: string, values?: readonly unknown[]): Promise<number> {
    return (await this.single(text, values)).affected;
  }

  transaction<T>(work: (tx: Sql) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    this.scope.assertOutside('`transaction`');
    return retryContention(() => this.inTurn(() => runTransaction(this.session, this.scope, work, options)), options);
  }

  async listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>> {
    this.scope.assertOutside('`listen`');
    assertChannel(channel);
    const stop = await this.mutex.run(() => this.engine.listen(channel, onNotify));
    return () => this.mutex.run(async () => (this.engine.closed ? undefined : stop()));
  }

  close(): Promise<void> {
    this.closing ??= this.mutex.run(async () => {
      try {
        await this.engine.close();
      } finally {
        this.lock?.release();
      }
    });
    return this.closing;
  }

  private async single(text: string, values: readonly unknown[] | undefined): Promise<StatementResult> {
    this.scope.assertOutside('`query`');
    return retryContention(() => this.inTurn(() => this.session.run(text, values, 'unknown')), {});
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.mutex.run(async () => {
      await this.breath.take();
      return await work();
    });
  }
}

class PgliteSession implements Session {
  /** The engine runs a statement to its end on the calling thread. */
  readonly interruptible = false;
  private readonly engine: PGlite;
  private readonly statements: EngineStatements;
  private dead: string | undefined;

  constructor(engine: PGlite) {
    this.engine = engine;
    this.statements = new EngineStatements(engine);
  }

  async run(
    text: string,
    values: readonly unknown[] | undefined,
    silence: 'none' | 'unknown',
  ): Promise<StatementResult> {
    this.assertUsable();
    try {
      return await (values === undefined ? this.statements.runText(text) : this.statements.run(text, values));
    } catch (error) {
      const mapped = storeError(error, silence);
      if (isStalePlan(mapped)) this.statements.forget();
      if (mapped instanceof StoreUnavailable && mapped.sqlstate === undefined) this.dead = mapped.message;
      throw mapped;
    }
  }

  /** An engine that failed in any way but by answering has lost its state; what it had committed is on disk. */
  discard(): void {
    this.dead ??= 'its last transaction could not be rolled back';
  }

  private assertUsable(): void {
    const reason = this.engine.closed ? 'it is closed' : this.dead;
    if (reason === undefined) return;
    throw new StoreUnavailable(`the embedded database has stopped: ${reason}; start the process again`, {
      outcome: 'none',
    });
  }
}
