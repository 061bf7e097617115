import { setImmediate as nextTurn } from 'node:timers/promises';
import { protocol } from '@electric-sql/pglite';
import type { StatementResult } from './transaction.ts';
import { parserOf } from './values.ts';

export type OnNotification = (channel: string, payload: string) => void;

/** Bytes that are read between two looks at the clock. */
const SLICE_BYTES = 64 * 1024;
/** How long reading a large answer may go on before everything else in the process gets a turn. */
const MAX_HOLD_MS = 10;

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/**
 * Reads the engine's whole answer: the last statement's rows and count. Rejects with the first `DatabaseError` in it, after what follows
 * has been read too, since it may hold notifications. A large answer is read in slices, between which the loop turns.
 */
export async function readAnswer(bytes: Uint8Array, onNotification: OnNotification): Promise<StatementResult> {
  const reader = new AnswerReader(onNotification);
  let since = performance.now();
  for (let offset = 0; offset < bytes.length; offset += SLICE_BYTES) {
    if (performance.now() - since > MAX_HOLD_MS) {
      await nextTurn();
      since = performance.now();
    }
    reader.read(bytes.subarray(offset, offset + SLICE_BYTES));
  }
  if (reader.error !== undefined) throw reader.error;
  return reader.last;
}

type BackendMessage = Parameters<Parameters<InstanceType<typeof protocol.Parser>['parse']>[1]>[0];

class AnswerReader {
  last: StatementResult = { rows: [], affected: 0, command: '' };
  error: Error | undefined;
  private readonly parser = new protocol.Parser();
  private readonly onNotification: OnNotification;
  private columns: readonly Column[] = [];
  private rows: unknown[] = [];

  constructor(onNotification: OnNotification) {
    this.onNotification = onNotification;
  }

  read(bytes: Uint8Array): void {
    this.parser.parse(bytes, (message) => this.take(message));
  }

  private take(message: BackendMessage): void {
    const { messages } = protocol;
    if (message instanceof messages.DataRowMessage) this.rows.push(rowOf(this.columns, message.fields));
    else if (message instanceof messages.RowDescriptionMessage)
      this.columns = message.fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
    else if (message instanceof messages.CommandCompleteMessage) this.complete(message.text);
    else if (message instanceof messages.NotificationResponseMessage)
      this.onNotification(message.channel, message.payload);
    else if (message instanceof messages.DatabaseError) this.error ??= message;
  }

  private complete(tag: string): void {
    // A tag that carries a count ends in it: `SELECT 2`, `INSERT 0 5`.
    const words = tag.split(' ');
    const affected = Number(words.at(-1));
    this.last = { rows: this.rows, affected: Number.isInteger(affected) ? affected : 0, command: words[0] ?? '' };
    this.rows = [];
    this.columns = [];
  }
}

function rowOf(columns: readonly Column[], fields: readonly (string | null)[]): unknown {
  const row: Record<string, unknown> = {};
  for (const [index, { name, parse }] of columns.entries()) {
    const field = fields[index] ?? null;
    row[name] = field === null ? null : parse(field);
  }
  return row;
}
