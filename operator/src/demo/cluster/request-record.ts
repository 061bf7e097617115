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

/** The cluster's own memory of who asked for what: proof of what was, and what was not, written. Bounded; reads are forgotten first. */
export interface RequestRecords {
  /** Oldest first. */
  all(): readonly RequestRecord[];
  /** Creates, updates, patches and deletes of objects (dry runs among them); questions such as access reviews are none. */
  writes(): readonly RequestRecord[];
  /** Calls back for every later request; returns the unsubscribe function. */
  subscribe(onRequest: (record: RequestRecord) => void): () => void;
}

const READS_KEPT = 5_000;
const WRITES_KEPT = 20_000;
const WRITE_VERBS = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const QUESTIONS = new Set([...REVIEWS.map(({ resource }) => resource)]);

export function isWrite(record: Pick<RequestInfo, 'verb' | 'resource' | 'subresource'>): boolean {
  return WRITE_VERBS.has(record.verb) && !QUESTIONS.has(record.resource) && record.subresource !== 'token';
}

export function createRequestRecords() {
  const reads: RequestRecord[] = [];
  const writes: RequestRecord[] = [];
  const listeners = new Set<(record: RequestRecord) => void>();
  let sequence = 0;

  function note(entry: Omit<RequestRecord, 'sequence'>): void {
    sequence += 1;
    const record = { sequence, ...entry };
    const [kept, most] = isWrite(record) ? [writes, WRITES_KEPT] : [reads, READS_KEPT];
    kept.push(record);
    if (kept.length > most * 1.1) kept.splice(0, kept.length - most);
    for (const listener of [...listeners]) listener(record);
  }

  const records: RequestRecords = {
    all: () => [...reads, ...writes].sort((a, b) => a.sequence - b.sequence),
    writes: () => [...writes],
    subscribe(onRequest) {
      const listener = (record: RequestRecord) => onRequest(record);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return { note, records };
}
