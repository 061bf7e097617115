/**
 * A place in the stream of committed events: transaction and row. Identity values are given out before commit, so the row's id alone would
 * let a reader pass over an event of a transaction that commits later; the pair, together with the oldest running transaction, does not.
 */
export interface StreamCursor {
  readonly xid: string;
  readonly id: string;
}

export function formatCursor(cursor: StreamCursor): string {
  return `${cursor.xid}-${cursor.id}`;
}

/** What the database's types hold; a larger number would be its error and not a cursor of ours. */
const LARGEST_XID = 2n ** 64n - 1n;
const LARGEST_ID = 2n ** 63n - 1n;

/** The cursor, or `undefined` for text that we never sent. */
export function parseCursor(text: string): StreamCursor | undefined {
  const match = /^(\d{1,20})-(\d{1,19})$/.exec(text);
  if (match === null) return undefined;
  const [, xid = '', id = ''] = match;
  return BigInt(xid) <= LARGEST_XID && BigInt(id) <= LARGEST_ID ? { xid, id } : undefined;
}

/** Whether the first place lies behind the second. */
export function isAfter(a: StreamCursor, b: StreamCursor): boolean {
  const byXid = compareDigits(a.xid, b.xid);
  return byXid > 0 || (byXid === 0 && compareDigits(a.id, b.id) > 0);
}

/** Of whole numbers without leading zeros, which is how the database writes them; they exceed what a number holds exactly. */
function compareDigits(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}
