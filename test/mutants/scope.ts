/** Workspaces whose code is mutated. */
export const MUTATED_WORKSPACES = ['policy', 'verifier'] as const;

export interface Scope {
  /** Files that the command mutates: every one except for the pending ones, so that a new file is covered from its first day. */
  readonly covered: readonly string[];
  readonly pending: readonly string[];
  /** Pending paths that name no file. They would hide a file of that name later. */
  readonly missing: readonly string[];
}

/** Splits source files into those that the rule covers and those that wait for better tests. */
export function scopeOf(sources: readonly string[], pending: readonly string[]): Scope {
  const waiting = new Set(pending);
  return {
    covered: sources.filter((source) => !waiting.has(source)),
    pending: sources.filter((source) => waiting.has(source)),
    missing: pending.filter((path) => !sources.includes(path)),
  };
}
