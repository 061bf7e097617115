import { type Database, StoreRejected } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';

interface WriterDeps {
  readonly db: Database;
  readonly faults: FaultPoints;
}

/** A body as received, on its way into its table. */
export interface IntakeRow {
  readonly sender: string;
  readonly body: string;
  readonly sha256: string;
  readonly alerts: number;
  readonly truncated: number;
  readonly groupKey: string | undefined;
  readonly receiver: string | undefined;
  readonly traceparent: string | undefined;
}

interface Waiting {
  readonly row: IntakeRow;
  readonly resolve: (id: number) => void;
  readonly reject: (error: unknown) => void;
}

interface Writer {
  readonly waiting: Waiting[];
  writes: number;
}

/**
 * Statements at once. On a server one that hangs must not hold up all others; more would leave fewer bodies to each. The embedded engine runs
 * one at a time.
 */
const MOST_WRITES: Readonly<Record<Database['kind'], number>> = { postgres: 2, pglite: 1 };
const MOST_BODIES = 100;
/** Characters of a statement's bodies, unless one alone is longer. */
const MOST_LENGTH = 4 * 1024 * 1024;

const writers = new WeakMap<Database, Writer>();

/**
 * Resolves to the row's id once it is committed; rejects with the database's error. Bodies that come while others are being written share the
 * next statement and its commit, which costs hardly more for ten than for one; one that comes alone is written at once.
 */
export function storeBody(deps: WriterDeps, row: IntakeRow): Promise<number> {
  const writer = writers.get(deps.db) ?? { waiting: [], writes: 0 };
  writers.set(deps.db, writer);
  return new Promise((resolve, reject) => {
    writer.waiting.push({ row, resolve, reject });
    if (writer.writes < MOST_WRITES[deps.db.kind]) void writeAll(deps, writer);
  });
}

async function writeAll(deps: WriterDeps, writer: Writer): Promise<void> {
  writer.writes += 1;
  do {
    // What is ready to be handed in at this moment, by those who were just told as well, goes into the statement, too.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    await write(deps, nextBatch(writer.waiting));
  } while (writer.waiting.length > 0);
  writer.writes -= 1;
}

/** Takes from the front what one statement may hold. */
function nextBatch(waiting: Waiting[]): readonly Waiting[] {
  let length = 0;
  let count = 0;
  for (const { row } of waiting.slice(0, MOST_BODIES)) {
    length += row.body.length;
    if (count > 0 && length > MOST_LENGTH) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

/** Settles each of them. A refusal is one row's fault and certainly wrote nothing, so each is tried alone; anything else is told to all. */
async function write(deps: WriterDeps, batch: readonly Waiting[]): Promise<void> {
  if (batch.length === 0) return;
  try {
    const ids = await insert(
      deps,
      batch.map(({ row }) => row),
    );
    for (const [n, { resolve, reject }] of batch.entries()) {
      const id = ids[n];
      if (id === undefined) reject(new Error(`expected ${batch.length} rows to be written, found ${ids.length}`));
      else resolve(id);
    }
  } catch (error: unknown) {
    if (batch.length > 1 && error instanceof StoreRejected) for (const each of batch) await write(deps, [each]);
    else for (const { reject } of batch) reject(error);
  }
}

/** Ids in the order of the rows, which is that of their arrival. */
async function insert({ db, faults }: WriterDeps, rows: readonly IntakeRow[]): Promise<readonly number[]> {
  const column = (of: (row: IntakeRow) => string | number | undefined) => rows.map((row) => of(row) ?? null);
  const written = await db.query<{ id: number }>(
    `INSERT INTO intake (source, sender, body, body_sha256, alerts, truncated, group_key, receiver, traceparent)
     SELECT 'alertmanager', sender, body, sha256, alerts, truncated, group_key, receiver, traceparent
     FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[])
       WITH ORDINALITY AS r (sender, body, sha256, alerts, truncated, group_key, receiver, traceparent, n)
     ORDER BY n RETURNING id`,
    [
      column((row) => row.sender),
      column((row) => row.body),
      column((row) => row.sha256),
      column((row) => row.alerts),
      column((row) => row.truncated),
      column((row) => row.groupKey),
      column((row) => row.receiver),
      column((row) => row.traceparent),
    ],
  );
  await faults.hit('ingest:stored');
  return written.map(({ id }) => id).toSorted((a, b) => a - b);
}
