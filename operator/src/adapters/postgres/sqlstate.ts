import { StatementOutsideTransaction, StoreRejected, StoreUnavailable } from '@hephaisto/core/ports/database';

/** The parts of a driver's error that both drivers share. */
interface ServerError {
  readonly code: string;
  readonly message: string;
  readonly constraint?: string;
  readonly table?: string;
}

function isServerError(error: unknown): error is ServerError {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)
  );
}

/** Classes and codes after which the same statement may well succeed: connection, resources, contention, shutdown, timeout, read-only standby. */
const UNAVAILABLE_CLASSES: readonly string[] = ['08', '53', '57', '58'];
const UNAVAILABLE_CODES: readonly string[] = ['40001', '40P01', '55P03', '25006', '25P03', '55006'];

const STALE_PLAN = '0A000';

/** Serialization failure, deadlock, and a cached plan that another migration invalidated: the transaction is run again. */
export function isContention(error: unknown): boolean {
  if (!(error instanceof StoreUnavailable)) return false;
  return error.sqlstate === '40001' || error.sqlstate === '40P01' || isStalePlan(error);
}

/** Only this use of 0A000 is worth another try, so only this one is mapped to `StoreUnavailable`. */
export function isStalePlan(error: unknown): boolean {
  return error instanceof StoreUnavailable && error.sqlstate === STALE_PLAN;
}

/**
 * Turns a driver's error into the port's. `whenSilent` says what may have happened when the server gave no answer.
 * Errors that are neither the server's nor the connection's pass unchanged.
 */
export function storeError(error: unknown, whenSilent: 'none' | 'unknown'): Error {
  if (
    error instanceof StoreUnavailable ||
    error instanceof StoreRejected ||
    error instanceof StatementOutsideTransaction
  ) {
    return error;
  }
  if (isServerError(error)) return serverError(error, whenSilent);
  const reason = error instanceof Error ? error.message || error.name : String(error);
  return new StoreUnavailable(`the database did not answer: ${reason}`, { outcome: whenSilent, cause: error });
}

function serverError(error: ServerError, whenSilent: 'none' | 'unknown'): Error {
  const unavailable =
    UNAVAILABLE_CLASSES.includes(error.code.slice(0, 2)) ||
    UNAVAILABLE_CODES.includes(error.code) ||
    (error.code === STALE_PLAN && error.message.includes('cached plan'));
  if (!unavailable) {
    return new StoreRejected(`the database refused: ${error.message} (SQLSTATE ${error.code})`, {
      sqlstate: error.code,
      constraint: error.constraint,
      table: error.table,
      cause: error,
    });
  }
  // A server that is shutting down may have committed just before it said so; every other code means that nothing was done.
  const outcome = error.code.startsWith('57P') ? whenSilent : 'none';
  return new StoreUnavailable(`the database is unavailable: ${error.message} (SQLSTATE ${error.code})`, {
    sqlstate: error.code,
    outcome,
    cause: error,
  });
}
