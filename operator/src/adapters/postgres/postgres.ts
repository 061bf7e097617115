import { type Database, type Sql, StoreUnavailable, type TransactionOptions } from '@hephaisto/core/ports/database';
import pg from 'pg';
import { NotificationListener } from './notification-listener.ts';
import { PreparedNames } from './prepared-names.ts';
import { isStalePlan, storeError } from './sqlstate.ts';
import { retryContention, runTransaction, type Session, type StatementResult } from './transaction.ts';
import { TransactionScope } from './transaction-scope.ts';
import { encodeValue, parserOf } from './values.ts';

export interface PostgresOptions {
  readonly url: string;
  /** Connections at most; one more is opened for notifications when somebody listens. */
  readonly poolSize?: number;
  readonly applicationName?: string;
  /** Milliseconds after which the server gives up a statement. The client gives up a little later, should the server be gone. */
  readonly statementTimeoutMs?: number;
  /** Milliseconds to wait for a free or new connection. */
  readonly connectTimeoutMs?: number;
  /** Off behind a pooler that hands every transaction another connection. */
  readonly prepare?: boolean;
  /** Told of connections that broke while idle and of lost listeners; one lower-case sentence. */
  readonly onTrouble?: (message: string) => void;
  /** Run as `SET` on every new connection; tests move `hephaisto.clock_offset` with it. */
  readonly settings?: Readonly<Record<string, string>>;
}

const CLIENT_GRACE_MS = 5_000;
const LOCK_TIMEOUT_MS = 10_000;
/** A process that was paused inside a transaction must not hold its row locks for longer than this. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** Opens a pool on a PostgreSQL server. No connection is made before the first statement. */
export function openPostgres(options: PostgresOptions): Database {
  return new PostgresDatabase(options);
}

class PostgresDatabase implements Database {
  readonly kind = 'postgres';
  private readonly pool: pg.Pool;
  private readonly scope = new TransactionScope();
  private readonly names: PreparedNames;
  private readonly listener: NotificationListener;
  private closing: Promise<void> | undefined;

  constructor(options: PostgresOptions) {
    const config = clientConfig(options);
    const trouble = options.onTrouble ?? (() => undefined);
    this.names = new PreparedNames(options.prepare ?? true);
    this.pool = new pg.Pool({
      ...config,
      Client: HeardClient,
      max: options.poolSize ?? 10,
      connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
      idleTimeoutMillis: 30_000,
    });
    this.pool.on('error', (error) => trouble(`an idle database connection broke: ${error.message}`));
    this.listener = new NotificationListener(() => new pg.Client(config), trouble);
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
      () => this.withSession((session) => runTransaction(session, this.scope, work, options)),
      options,
    );
  }

  async listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>> {
    this.scope.assertOutside('`listen`');
    return this.listener.subscribe(channel, onNotify);
  }

  close(): Promise<void> {
    this.closing ??= Promise.all([this.listener.close(), this.pool.end()]).then(() => undefined);
    return this.closing;
  }

  private single(text: string, values: readonly unknown[] | undefined): Promise<StatementResult> {
    this.scope.assertOutside('`query`');
    return retryContention(() => this.withSession((session) => session.run(text, values, 'unknown')), {});
  }

  private async withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await this.pool.connect();
    } catch (error) {
      throw storeError(error, 'none');
    }
    const session = new PostgresSession(client, this.names);
    try {
      return await work(session);
    } finally {
      client.removeListener('error', session.onLost);
      client.release(session.discarded);
    }
  }
}

/**
 * A connection that somebody always listens to. The pool takes its own listener away before whoever asked for the connection can add one, and
 * what a dying server says between the two would end the process.
 */
class HeardClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

/** After silence, or after the server has said that it ends the connection, nothing more comes of it. */
function isLastWord(sqlstate: string | undefined): boolean {
  return sqlstate === undefined || sqlstate.startsWith('57P') || sqlstate.startsWith('08');
}

class PostgresSession implements Session {
  readonly interruptible = true;
  discarded = false;
  private readonly client: pg.PoolClient;
  private readonly names: PreparedNames;
  /** A connection that breaks between two statements is an event, not a rejection; without a listener it would end the process. */
  readonly onLost = (): void => {
    this.discarded = true;
  };

  constructor(client: pg.PoolClient, names: PreparedNames) {
    this.client = client;
    this.names = names;
    client.on('error', this.onLost);
  }

  async run(
    text: string,
    values: readonly unknown[] | undefined,
    silence: 'none' | 'unknown',
  ): Promise<StatementResult> {
    try {
      const last = lastOf(await this.client.query(this.statement(text, values)));
      return { rows: last.rows, affected: last.rowCount ?? 0, command: last.command };
    } catch (error) {
      const mapped = storeError(error, silence);
      if (mapped instanceof StoreUnavailable && isLastWord(mapped.sqlstate)) this.discard();
      if (isStalePlan(mapped)) this.names.forget();
      throw mapped;
    }
  }

  discard(): void {
    this.discarded = true;
  }

  private statement(text: string, values: readonly unknown[] | undefined): pg.QueryConfig {
    if (values === undefined) return { text };
    const name = this.names.nameOf(text);
    return { text, values: values.map(encodeValue), ...(name === undefined ? {} : { name }) };
  }
}

/** Several statements in one text give several results; the last one counts. */
function lastOf(result: pg.QueryResult | pg.QueryResult[]): pg.QueryResult {
  const last = Array.isArray(result) ? result.at(-1) : result;
  if (last === undefined) throw new Error('expected a result for a statement, found none');
  return last;
}

function clientConfig(options: PostgresOptions): pg.ClientConfig {
  const statementTimeout = options.statementTimeoutMs ?? 30_000;
  const settings = Object.entries({ timezone: 'UTC', ...options.settings });
  return {
    connectionString: options.url,
    application_name: options.applicationName ?? 'hephaisto',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: statementTimeout,
    query_timeout: statementTimeout + CLIENT_GRACE_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    options: settings
      .map(([name, value]) => `-c ${name}=${value.replaceAll('\\', '\\\\').replaceAll(' ', '\\ ')}`)
      .join(' '),
    types: { getTypeParser: (oid: number) => parserOf(oid) as never },
  };
}
