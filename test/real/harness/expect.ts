import { type AuditEntry, auditOfOperator, spell, writesOf } from './audit.ts';

/** Calls in the namespace that changed something or meant to, dry runs and mirrored events left out, by the API server's own log. */
export async function realWrites(auditLog: string, namespace: string): Promise<readonly AuditEntry[]> {
  const entries = await auditOfOperator(auditLog);
  return writesOf(entries).filter(
    (entry) => entry.namespace === namespace && !entry.dryRun && entry.resource !== 'events',
  );
}

export function expectWrites(found: readonly AuditEntry[], wanted: number, accepted = wanted): void {
  const done = found.filter(({ status }) => status < 300);
  if (found.length === wanted && done.length === accepted) return;
  throw new Error(
    `expected ${wanted} real writes of which ${accepted} took effect, found ${found.map(spell).join('; ') || 'none'}`,
  );
}

export function expectEqual(what: string, found: unknown, wanted: unknown): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`expected ${what} to be ${b}, found ${a}`);
}
