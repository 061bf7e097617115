import { AsyncLocalStorage } from 'node:async_hooks';
import { StatementOutsideTransaction } from '@hephaisto/core/ports/database';

interface OpenTransaction {
  open: boolean;
}

/**
 * Knows whether the calling code runs inside one of this database's open transactions, over awaits and callbacks.
 * Without it such a call would wait for ever on the embedded database, and on a server would silently see another snapshot.
 */
export class TransactionScope {
  private readonly storage = new AsyncLocalStorage<OpenTransaction>();

  run<T>(transaction: OpenTransaction, work: () => Promise<T>): Promise<T> {
    return this.storage.run(transaction, work);
  }

  assertOutside(what: string): void {
    if (this.storage.getStore()?.open !== true) return;
    throw new StatementOutsideTransaction(
      `${what} was called on the database from inside one of its open transactions; use the transaction's own \`tx\`, or call after it has ended`,
    );
  }
}
