import { execFile } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type Database,
  type EngineCondition,
  type Sql,
  StorageRefused,
  StoreUnavailable,
  type TransactionOptions,
} from '@hephaisto/core/ports/database';
import { broken, clusterFolder, inspectFolder, markFolder, notWritable, prepareFolder } from './data-folder.ts';
import { EngineChannels } from './engine-channels.ts';
import type { EngineSession } from './engine-session.ts';
import { EngineSupervisor } from './engine-supervisor.ts';
import { EngineLost, EngineThread } from './engine-thread.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import { folderCannotWrite } from './folder-space.ts';
import { Mutex } from './mutex.ts';
import { assertChannel } from './notification-listener.ts';
import { retryContention, runTransaction, type StatementResult } from './transaction.ts';
import { TransactionScope } from './transaction-scope.ts';

export interface PgliteOptions {
  /** A folder, created where missing, or `memory`. */
  readonly folder: string;
  /** With `memory`: path of the tar of a database folder to start from. */
  readonly load?: string;
  /** Server settings; tests move `hephaisto.clock_offset` with them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Told when something takes seconds; one lower-case sentence. */
  readonly onProgress?: (message: string) => void;
  /** Milliseconds after which a statement counts as stuck and the engine is restarted. */
  readonly statementTimeoutMs?: number;
  /** Milliseconds that an open transaction may rest between two statements. */
  readonly idleTimeoutMs?: number;
  /** Told when the engine is restarted and when it runs again; one lower-case sentence. */
  readonly onTrouble?: (message: string) => void;
}

/** As on a server. */
const STATEMENT_DEADLINE_MS = 30_000;
const IDLE_DEADLINE_MS = 30_000;

export interface EmbeddedDatabase extends Database {
  /** A tar of the database folder, to start another database in memory from. */
  dump(): Promise<Uint8Array>;
}

/**
 * Opens the embedded database, whose engine runs in a thread of its own. Rejects with `StorageRefused` when the folder is locked by a live
 * process, foreign, broken, newer or not writable. The folder is this process's alone until `close`.
 */
export async function openPglite(options: PgliteOptions): Promise<EmbeddedDatabase> {
  const { settings } = options;
  if (options.folder === 'memory') {
    const { load } = options;
    return superviseEngine(options, { ...(load && { load }), ...(settings && { settings }) }, undefined);
  }
  const folder = resolve(options.folder);
  prepareFolder(folder);
  const lock = lockOrRefuse(folder);
  try {
    if (inspectFolder(folder).kind === 'new') await createCluster(folder, options.onProgress);
    const start = { folder: clusterFolder(folder), ...(settings && { settings }) };
    return await superviseEngine(options, start, { folder, lock });
  } catch (error) {
    lock.release();
    if (!(error instanceof EngineLost)) throw error;
    throw broken(
      folder,
      `the database in it does not start (${error.message}); restore a backup or name another folder`,
      error,
    );
  }
}

async function superviseEngine(
  options: PgliteOptions,
  start: Parameters<typeof EngineThread.start>[0],
  held: { readonly folder: string; readonly lock: FolderLock } | undefined,
): Promise<EmbeddedDatabase> {
  const channels = new EngineChannels();
  const supervisor = await EngineSupervisor.start({
    start: () => EngineThread.start(start),
    canRestart: held !== undefined,
    deadlineMs: options.statementTimeoutMs ?? STATEMENT_DEADLINE_MS,
    maxIdleMs: options.idleTimeoutMs ?? IDLE_DEADLINE_MS,
    onNotification: (channel, payload) => channels.deliver(channel, payload),
    onRestarted: (session) => channels.resume(session),
    onTrouble: options.onTrouble ?? (() => undefined),
  });
  held?.lock.onTaken((message) => supervisor.abandon(message));
  return new PgliteDatabase(supervisor, channels, held);
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

class PgliteDatabase implements EmbeddedDatabase {
  readonly kind = 'pglite';
  private readonly supervisor: EngineSupervisor;
  private readonly channels: EngineChannels;
  private readonly folder: string | undefined;
  private readonly lock: FolderLock | undefined;
  private readonly mutex = new Mutex();
  private readonly scope = new TransactionScope();
  private closing: Promise<void> | undefined;

  constructor(supervisor: EngineSupervisor, channels: EngineChannels, held?: { folder: string; lock: FolderLock }) {
    this.supervisor = supervisor;
    this.channels = channels;
    this.folder = held?.folder;
    this.lock = held?.lock;
  }

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.single(text, values)).rows as readonly Row[];
  }

  async execute(text: string, values?: readonly unknown[]): Promise<number> {
    return (await this.single(text, values)).affected;
  }

  transaction<T>(work: (tx: Sql) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    this.scope.assertOutside('`transaction`');
    return retryContention(
      () => this.mutex.run(() => runTransaction(this.session(), this.scope, work, options)),
      options,
    );
  }

  async listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>> {
    this.scope.assertOutside('`listen`');
    assertChannel(channel);
    await this.mutex.run(() => this.channels.subscribe(this.supervisor.session(), channel, onNotify));
    return () =>
      this.mutex.run(async () => {
        if (this.closing !== undefined) return;
        await this.channels.unsubscribe(() => this.supervisor.session(), channel, onNotify);
      });
  }

  engine(): EngineCondition {
    return this.supervisor.condition();
  }

  async cannotWrite(): Promise<string | undefined> {
    return this.folder === undefined ? undefined : folderCannotWrite(this.folder);
  }

  dump(): Promise<Uint8Array> {
    return this.mutex.run(async () => {
      const thread = this.supervisor.thread();
      if (thread === undefined) throw new StoreUnavailable('the embedded database does not run', { outcome: 'none' });
      return thread.dump();
    });
  }

  close(): Promise<void> {
    this.closing ??= this.mutex.run(async () => {
      try {
        await this.supervisor.close();
      } finally {
        this.lock?.release();
      }
    });
    return this.closing;
  }

  private session(): EngineSession {
    this.lock?.check();
    return this.supervisor.session();
  }

  private async single(text: string, values: readonly unknown[] | undefined): Promise<StatementResult> {
    this.scope.assertOutside('`query`');
    return retryContention(() => this.mutex.run(() => this.session().run(text, values, 'unknown')), {});
  }
}
