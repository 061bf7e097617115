import type { RequestInfo } from './api/request-info.ts';
import { REVIEWS } from './api/resources.ts';

/** One request as the API server saw it. */
export interface RequestRecord {
  readonly sequence: number;
  /** When the answer began, ISO 8601. */
  readonly at: string;
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly dryRun: boolean;
  /** The content type of a patch. */
  readonly patchType: string | undefined;
  /** The HTTP status; 0 when no answer was given. */
  readonly status: number;
  /** What a write carried; left out where it holds secrets. */
  readonly body?: unknown;
}

/** The cluster's own memory of who asked for what: proof of what was, and what was not, written. Bounded: reads, and writes of
 * statuses and leases, are forgotten long before the other writes. */
export interface RequestRecords {
  /** Oldest first. */
  all(): readonly RequestRecord[];
  /** Creates, updates, patches and deletes of objects (dry runs among them); questions such as access reviews are none. */
  writes(): readonly RequestRecord[];
  /** Calls back for every later request; returns the unsubscribe function. */
  subscribe(onRequest: (record: RequestRecord) => void): () => void;
}

const READS_KEPT = 3_000;
const WRITES_KEPT = 10_000;
/** Statuses and leases are written all the time, by whoever plays the nodes, and say little after a while. */
const CHORES_KEPT = 1_000;
const WRITE_VERBS = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const QUESTIONS = new Set([...REVIEWS.map(({ resource }) => resource)]);

export function isWrite(record: Pick<RequestInfo, 'verb' | 'resource' | 'subresource'>): boolean {
  return WRITE_VERBS.has(record.verb) && !QUESTIONS.has(record.resource) && record.subresource !== 'token';
}

export function createRequestRecords() {
  const reads: RequestRecord[] = [];
  const writes: RequestRecord[] = [];
  const chores: RequestRecord[] = [];
  const listeners = new Set<(record: RequestRecord) => void>();
  let sequence = 0;

  function note(entry: Omit<RequestRecord, 'sequence'>): void {
    sequence += 1;
    const record = { sequence, ...entry };
    if (!isWrite(record)) keep(reads, record, READS_KEPT);
    else if (isChore(record)) keep(chores, record, CHORES_KEPT);
    else keep(writes, record, WRITES_KEPT);
    for (const listener of [...listeners]) listener(record);
  }

  const records: RequestRecords = {
    all: () => inOrder(reads, writes, chores),
    writes: () => inOrder(writes, chores),
    subscribe(onRequest) {
      const listener = (record: RequestRecord) => onRequest(record);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return { note, records };
}

function isChore({ resource, subresource }: RequestRecord): boolean {
  return subresource === 'status' || resource === 'leases';
}

function keep(kept: RequestRecord[], record: RequestRecord, most: number): void {
  kept.push(record);
  if (kept.length > most * 1.1) kept.splice(0, kept.length - most);
}

function inOrder(...parts: readonly (readonly RequestRecord[])[]): readonly RequestRecord[] {
  return parts.flat().sort((a, b) => a.sequence - b.sequence);
}
