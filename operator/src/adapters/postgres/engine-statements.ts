import { type PGlite, protocol } from '@electric-sql/pglite';
import { PreparedNames } from './prepared-names.ts';
import type { StatementResult } from './transaction.ts';
import { encodeValue, parserOf } from './values.ts';

/**
 * How often a prepared statement is used before it is planned anew. Nothing analyses tables of an embedded database, so a plan made while a table
 * was small would else serve until the process ends, however large the table has become.
 */
const USES_OF_A_PLAN = 500;

type BackendMessage = Awaited<ReturnType<PGlite['execProtocolStream']>>[number];

/**
 * Statements on the embedded engine: one message each instead of up to six, and those that come again and again prepared. Measured on
 * a read of one row by its key: 0.9 ms by the engine's own `query`, 0.5 ms in one message, 0.1 ms prepared, most of it having been parsing and planning.
 */
export class EngineStatements {
  private readonly engine: PGlite;
  private readonly names = new PreparedNames(true);
  /** Uses of each name that the engine knows. */
  private readonly uses = new Map<string, number>();

  constructor(engine: PGlite) {
    this.engine = engine;
  }

  /** One or several statements without parameters; the last one's result counts. Rejects with the engine's own error, as `run` does. */
  async runText(text: string): Promise<StatementResult> {
    return this.exchange(protocol.serialize.query(text));
  }

  async run(text: string, values: readonly unknown[]): Promise<StatementResult> {
    const name = this.names.nameOf(text);
    const bound = values.map(encodeValue);
    if (name === undefined) return this.send([protocol.serialize.parse({ text })], '', bound);
    const used = this.uses.get(name) ?? USES_OF_A_PLAN;
    if (used < USES_OF_A_PLAN) {
      this.uses.set(name, used + 1);
      return this.send([], name, bound);
    }
    // Closed first even where it is new: it may be known from a time when it was prepared and then failed.
    this.uses.delete(name);
    const anew = [protocol.serialize.close({ type: 'S', name }), protocol.serialize.parse({ name, text })];
    const result = await this.send(anew, name, bound);
    this.uses.set(name, 1);
    return result;
  }

  /** After the schema has changed under a plan. */
  forget(): void {
    this.names.forget();
    this.uses.clear();
  }

  private async send(
    before: readonly Uint8Array[],
    statement: string,
    values: (string | null)[],
  ): Promise<StatementResult> {
    const { serialize } = protocol;
    const message = Buffer.concat([
      ...before,
      serialize.bind({ statement, values }),
      serialize.describe({ type: 'P' }),
      serialize.execute({}),
      serialize.sync(),
    ]);
    return this.exchange(message);
  }

  private async exchange(message: Uint8Array): Promise<StatementResult> {
    // Parsed as it comes: `execProtocol` would keep all bytes of the answer as well, twice.
    return lastResultOf(await this.engine.runExclusive(() => this.engine.execProtocolStream(message)));
  }
}

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

function lastResultOf(messages: readonly BackendMessage[]): StatementResult {
  let columns: readonly Column[] = [];
  let rows: unknown[] = [];
  let last: StatementResult = { rows: [], affected: 0, command: '' };
  for (const message of messages) {
    if (message instanceof protocol.messages.RowDescriptionMessage)
      columns = message.fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
    else if (message instanceof protocol.messages.DataRowMessage) rows.push(rowOf(columns, message.fields));
    else if (message instanceof protocol.messages.CommandCompleteMessage) {
      // A tag that carries a count ends in it: `SELECT 2`, `INSERT 0 5`.
      const words = message.text.split(' ');
      const affected = Number(words.at(-1));
      last = { rows, affected: Number.isInteger(affected) ? affected : 0, command: words[0] ?? '' };
      rows = [];
      columns = [];
    }
  }
  return last;
}

function rowOf(columns: readonly Column[], fields: readonly (string | null)[]): unknown {
  const row: Record<string, unknown> = {};
  for (const [index, { name, parse }] of columns.entries()) {
    const field = fields[index] ?? null;
    row[name] = field === null ? null : parse(field);
  }
  return row;
}
