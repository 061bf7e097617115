import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { RequestRecords } from '../../../operator/src/demo/cluster/request-record.ts';
import type { Asked } from '../../contract/api.ts';
import { fromAudit, requestKind } from '../../contract/coverage.ts';

/** Kinds of request that simulated clusters of this process were asked since they were last taken, with one request of each. */
const asked = new Map<string, Asked>();

/** Notes every later request of a simulated cluster. */
export function noteRequests(records: RequestRecords): void {
  records.subscribe((record) => void asked.set(requestKind(record), record));
}

export function takeAsked(): readonly Asked[] {
  const taken = [...asked.values()];
  asked.clear();
  return taken;
}

const CHUNK = 16 * 1024 * 1024;

/** Reads an audit log onward from where it was left; lines that are not whole yet come with the next reading. */
export function followAudit(auditLog: string): () => readonly Asked[] {
  let offset = 0;
  return () => {
    const found = new Map<string, Asked>();
    const file = openSync(auditLog, 'r');
    try {
      const buffer = Buffer.alloc(CHUNK);
      for (let left = fstatSync(file).size - offset; left > 0; left = fstatSync(file).size - offset) {
        const read = readSync(file, buffer, 0, CHUNK, offset);
        const end = buffer.subarray(0, read).lastIndexOf(10) + 1;
        if (end === 0) break;
        for (const each of fromAudit(buffer.toString('utf8', 0, end))) found.set(requestKind(each), each);
        offset += end;
      }
    } finally {
      closeSync(file);
    }
    return [...found.values()];
  };
}
