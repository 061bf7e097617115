import type { Change } from './incident.ts';

/**
 * What changed in the workload, as the primary finding's cause cites it. Empty where the cause is no change: "nothing changed" is then
 * the news, and inventing a line would be worse than showing none.
 */
export function changesOf(cause: Readonly<Record<string, unknown>>): Change[] {
  if (cause.kind !== 'rollout-change' || !Array.isArray(cause.changes)) return [];
  const at = instantOf(cause.changedAt);
  const what = `revision ${String(cause.previousRevision)} → ${String(cause.revision)}`;
  const decisive = pathOf(cause.decisive);
  return cause.changes.flatMap((change: unknown) => {
    const path = pathOf(change);
    if (path === undefined) return [];
    const { from, to } = change as { readonly from?: unknown; readonly to?: unknown };
    return [{ at, what, path, from: textOf(from), to: textOf(to), decisive: path === decisive }];
  });
}

function pathOf(change: unknown): string | undefined {
  if (typeof change !== 'object' || change === null || !('path' in change)) return undefined;
  return typeof change.path === 'string' ? change.path : undefined;
}

function textOf(value: unknown): string | null {
  return value === undefined || value === null ? null : String(value);
}

function instantOf(value: unknown): string | null {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : null;
}
