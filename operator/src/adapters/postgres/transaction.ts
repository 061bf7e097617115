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
  try {
    await begin(session, options);
    const result = await scope.run(state, () => work(transactionSql(session, state, options)));
    state.open = false;
    await commit(session);
    return result;
  } catch (error) {
    state.open = false;
    await rollback(session);
    throw error;
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

function transactionSql(session: Session, state: { readonly open: boolean }, options: TransactionOptions): Sql {
  const deadlineMs = session.interruptible ? undefined : options.statementTimeoutMs;
  const run = async (text: string, values?: readonly unknown[]): Promise<StatementResult> => {
    if (state.open) return session.run(text, values, 'none', deadlineMs);
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
