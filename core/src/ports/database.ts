/** A row set's statement and its values. `query` gives rows; `execute` gives the number of affected rows. */
export interface Sql {
  /**
   * Runs one statement. Placeholders are `$1 …`; a plain object or array given for a jsonb parameter is sent as JSON, except that an
   * array is a PostgreSQL array: wrap a JSON array with `JSON.stringify`.
   *
   * The same on every adapter: jsonb and json parsed, bigint a number while it is a safe integer (a string beyond), numeric a string,
   * timestamptz a `Date`, bytea a `Uint8Array`, arrays of text, uuid and integers JavaScript arrays.
   * Rejects with `StoreUnavailable` or `StoreRejected`.
   */
  query<Row = Readonly<Record<string, unknown>>>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  execute(text: string, values?: readonly unknown[]): Promise<number>;
  /**
   * Runs `effect` once the transaction has committed: never after a rollback, once when the work is run again after contention, and not when the
   * answer of the commit is lost. `effect` must not throw. Absent outside of a transaction, where an answered statement is committed.
   */
  afterCommit?(effect: () => void): void;
}

export interface TransactionOptions {
  /** Default `read committed`. */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  /** How often the work is run again after a serialization failure or a deadlock. Default and maximum 3. */
  readonly retries?: number;
  /**
   * Milliseconds that a single statement may take; the adapter's own setting when absent. A server ends the statement alone; the embedded
   * engine cannot, so it is restarted.
   */
  readonly statementTimeoutMs?: number;
}

/** What an adapter knows of an engine that it runs itself. */
export interface EngineCondition {
  /** Why no statement is answered now; undefined while the engine runs. */
  readonly down: string | undefined;
  /** Restarts since this process started. */
  readonly restarts: number;
  /** The last restart, while it is less than an hour ago. */
  readonly recentRestart: { readonly at: Date; readonly reason: string } | undefined;
}

export interface Database extends Sql {
  readonly kind: 'postgres' | 'pglite';
  /**
   * Runs `work` in one transaction and commits when it resolves, rolls back when it rejects and passes its error on.
   *
   * A serialization failure or a deadlock, in a statement or at commit, runs `work` again from the start: it must therefore have no effect
   * outside the database. Inside `work` only `tx` may be used; a call on the database itself, or a nested transaction, throws
   * `StatementOutsideTransaction` at once on every adapter, since on PGlite it could never return. `tx` is dead once `work` has settled.
   * A commit whose answer is lost rejects with `StoreUnavailable` with `outcome: 'unknown'`: the caller reads back before it repeats.
   */
  transaction<T>(work: (tx: Sql) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Calls back for each NOTIFY on the channel, from any connection or process that shares the database. A notification is a hint, never a
   * fact: after a lost connection the listener is called once with `''`, since what was sent meanwhile is gone. Resolves to the function
   * that ends the subscription.
   */
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>;
  /** Absent where the engine runs elsewhere. Never throws. */
  engine?(): EngineCondition;
  /** Why the place that the database writes to takes no more, without writing a row; undefined where it does. Absent where nothing is known of it. Never rejects. */
  cannotWrite?(): Promise<string | undefined>;
  /** Idempotent. Waits for the statement or transaction under way, then frees connections, folder and lock. */
  close(): Promise<void>;
}

/** The database could not answer: connection, shutdown, pool, timeout, contention that outlived its retries. Trying again later may help. */
export class StoreUnavailable extends Error {
  readonly tag = 'StoreUnavailable';
  readonly retryable = true;
  /** SQLSTATE where the server gave one. */
  readonly sqlstate: string | undefined;
  /** `unknown`: the statement or commit may have taken effect. `none`: it certainly has not. */
  readonly outcome: 'none' | 'unknown';
  constructor(
    message: string,
    details: { sqlstate?: string | undefined; outcome: 'none' | 'unknown'; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.name = 'StoreUnavailable';
    this.sqlstate = details.sqlstate;
    this.outcome = details.outcome;
  }
}

/** The database answered no: a constraint, a trigger, a privilege, a wrong statement. The same statement will be refused again. */
export class StoreRejected extends Error {
  readonly tag = 'StoreRejected';
  readonly retryable = false;
  readonly sqlstate: string;
  readonly constraint: string | undefined;
  readonly table: string | undefined;
  constructor(
    message: string,
    details: { sqlstate: string; constraint?: string | undefined; table?: string | undefined; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.name = 'StoreRejected';
    this.sqlstate = details.sqlstate;
    this.constraint = details.constraint;
    this.table = details.table;
  }
}

/** A bug of ours: the database was used from inside one of its own open transactions. */
export class StatementOutsideTransaction extends Error {
  readonly tag = 'StatementOutsideTransaction';
  readonly retryable = false;
}

export type StorageRefusal =
  | 'DataFolderLocked'
  | 'DataFolderForeign'
  | 'DataFolderBroken'
  | 'DataFolderNewer'
  | 'DataFolderNotWritable'
  | 'DatabaseNewer'
  | 'DatabaseForeign'
  | 'MigrationChanged'
  | 'MigrationFailed'
  | 'ServerTooOld';

/** The exit code of a command that meets the refusal: 4 for a folder or database that is not ours to open, 5 for the surroundings. */
export const EXIT_CODE_OF_REFUSAL: Readonly<Record<StorageRefusal, 1 | 4 | 5>> = {
  DataFolderLocked: 4,
  DataFolderForeign: 4,
  DataFolderBroken: 4,
  DataFolderNewer: 4,
  DataFolderNotWritable: 5,
  DatabaseNewer: 4,
  DatabaseForeign: 4,
  MigrationChanged: 4,
  MigrationFailed: 1,
  ServerTooOld: 5,
};

/** Storage cannot be opened or migrated. The message is one sentence for the person at the terminal. */
export class StorageRefused extends Error {
  readonly tag = 'StorageRefused';
  readonly retryable = false;
  readonly code: StorageRefusal;
  constructor(code: StorageRefusal, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StorageRefused';
    this.code = code;
  }
  get exitCode(): 1 | 4 | 5 {
    return EXIT_CODE_OF_REFUSAL[this.code];
  }
}

/** SQLSTATE 23505 on the named unique constraint or index, or on any when no name is given. */
export function isUniqueViolation(error: unknown, constraint?: string): error is StoreRejected {
  return (
    error instanceof StoreRejected &&
    error.sqlstate === '23505' &&
    (constraint === undefined || error.constraint === constraint)
  );
}
