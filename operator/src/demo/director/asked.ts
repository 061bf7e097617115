import type { RequestRecord, RequestRecords } from '../cluster/request-record.ts';

/** A kind of request: what two requests share that differ only in the object and in who asked. */
export type AskedKind = Pick<RequestRecord, 'verb' | 'group' | 'resource' | 'subresource' | 'patchType' | 'status'>;

/** Notes every later request of the cluster; gives each kind once. */
export function noteAsked(records: RequestRecords): () => readonly AskedKind[] {
  const kinds = new Map<string, AskedKind>();
  records.subscribe(({ verb, group, resource, subresource, patchType, status }) => {
    const kind = { verb, group, resource, subresource, patchType, status };
    kinds.set(JSON.stringify(kind), kind);
  });
  return () => [...kinds.values()];
}
