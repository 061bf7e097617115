import type { Condition } from './condition.ts';

export function findCondition(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

export function withoutCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return conditions.filter((condition) => condition.type !== type);
}

/**
 * Puts a condition at the end of the list. One with the same status and reason is left alone, message and times included;
 * the time of transition is kept while the status stays the same.
 */
export function withCondition(conditions: readonly Condition[], next: Condition): readonly Condition[] {
  const current = findCondition(conditions, next.type);
  if (current?.status === next.status && current.reason === next.reason) return conditions;
  const kept =
    current?.status === next.status && current.lastTransitionTime !== undefined
      ? { ...next, lastTransitionTime: current.lastTransitionTime }
      : next;
  return [...withoutCondition(conditions, next.type), kept];
}
