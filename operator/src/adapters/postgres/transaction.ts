import {
  type Sql,
  StatementOutsideTransaction,
  StoreRejected,
  StoreUnavailable,
  type TransactionOptions,
} from '@hephaisto/core/ports/database';
import { isContention } from './sqlstate.ts';
import type { TransactionScope } from './transaction-scope.ts';

export interface StatementResult {
  readonly rows: readonly unknown[];
  readonly affected: number;
  /** The command tag's first word. */
  readonly command: string;
}

/** One connection for the time of one transaction. `run` throws the port's errors. */
export interface Session {
  /** `silence` says what may have happened if no answer comes; `deadlineMs`, where given, replaces the session's own deadline. */
  run(
    text: string,
    values: readonly unknown[] | undefined,
    silence: 'none' | 'unknown',
    deadlineMs?: number,
  ): Promise<StatementResult>;
  /** False where the database cannot interrupt a statement, so that each must be sent with its deadline. */
  readonly interruptible: boolean;
  /** Milliseconds that a transaction may rest between two statements, where the database does not end it by itself. */
  readonly maxIdleMs?: number;
  /** The connection is in an unknown state and must not be used again. */
  discard(): void;
}

export const MAX_RETRIES = 3;

/** Runs `work` up to `retries` times more when contention, and nothing else, undid it. */
export async function retryContention<T>(attempt: () => Promise<T>, options: TransactionOptions): Promise<T> {
  const retries = Math.min(options.retries ?? MAX_RETRIES, MAX_RETRIES);
  for (let tried = 0; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tried >= retries || !isContention(error)) throw error;
    }
  }
}

/** BEGIN, work, COMMIT on one session; ROLLBACK when work fails. */
export async function runTransaction<T>(
  session: Session,
  scope: TransactionScope,
  work: (tx: Sql) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const state = { open: true };
  const idle = new IdleDeadline(session.maxIdleMs);
  const effects: (() => void)[] = [];
  try {
    await begin(session, options);
    const tx = transactionSql(session, state, options, idle);
    const afterCommit = (effect: () => void): void => void effects.push(effect);
    const running = scope.run(state, () => work({ ...tx, afterCommit }));
    const result = await Promise.race([running, idle.expired]);
    state.open = false;
    await commit(session);
    // Not called here: an effect that throws must not make a committed transaction look failed, which its caller would repeat.
    for (const effect of effects) queueMicrotask(effect);
    return result;
  } catch (error) {
    state.open = false;
    await rollback(session);
    throw error;
  } finally {
    idle.end();
  }
}

/** Ends a transaction whose work waits for something else than the database: nobody else could use the one connection meanwhile. */
class IdleDeadline {
  readonly expired: Promise<never>;
  private readonly maxIdleMs: number | undefined;
  private expire: (error: StoreUnavailable) => void = () => undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Statements under way: some are sent before the one before them has ended. */
  private busy = 0;
  private ended = false;

  constructor(maxIdleMs: number | undefined) {
    this.maxIdleMs = maxIdleMs;
    this.expired = new Promise((_, reject) => {
      this.expire = reject;
    });
    this.expired.catch(() => undefined);
    this.rest();
  }

  async during<T>(statement: () => Promise<T>): Promise<T> {
    this.busy += 1;
    clearTimeout(this.timer);
    try {
      return await statement();
    } finally {
      this.busy -= 1;
      if (this.busy === 0) this.rest();
    }
  }

  end(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }

  private rest(): void {
    const { maxIdleMs } = this;
    if (maxIdleMs === undefined || this.ended) return;
    this.timer = setTimeout(() => {
      const message = `expected a statement of the open transaction within ${maxIdleMs} ms, found none; it is rolled back`;
      this.expire(new StoreUnavailable(message, { outcome: 'none' }));
    }, maxIdleMs);
  }
}

async function begin(session: Session, options: TransactionOptions): Promise<void> {
  const isolation = options.isolation ?? 'read committed';
  await session.run(`BEGIN ISOLATION LEVEL ${isolation.toUpperCase()}`, undefined, 'none');
  if (options.statementTimeoutMs !== undefined && session.interruptible) {
    await session.run(`SET LOCAL statement_timeout = ${Math.trunc(options.statementTimeoutMs)}`, undefined, 'none');
  }
}

async function commit(session: Session): Promise<void> {
  const { command } = await session.run('COMMIT', undefined, 'unknown');
  if (command === 'COMMIT') return;
  // The server answers ROLLBACK to a COMMIT when a statement had failed and `work` swallowed its error.
  throw new StoreRejected(
    'expected the transaction to commit, but an earlier statement in it had failed; let its error reject the work',
    { sqlstate: '25P02' },
  );
}

async function rollback(session: Session): Promise<void> {
  try {
    await session.run('ROLLBACK', undefined, 'none');
  } catch (error) {
    if (error instanceof StoreUnavailable) session.discard();
  }
}

function transactionSql(
  session: Session,
  state: { readonly open: boolean },
  options: TransactionOptions,
  idle: IdleDeadline,
): Sql {
  const deadlineMs = session.interruptible ? undefined : options.statementTimeoutMs;
  const run = async (text: string, values?: readonly unknown[]): Promise<StatementResult> => {
    if (state.open) return idle.during(() => session.run(text, values, 'none', deadlineMs));
    throw new StatementOutsideTransaction(
      'a statement was sent on `tx` after its transaction had ended; await it inside the work',
    );
  };
  return {
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await run(text, values)).rows as readonly Row[],
    execute: async (text, values) => (await run(text, values)).affected,
  };
}
