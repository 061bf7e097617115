import { assertNever } from '@hephaisto/core/assert-never';
import type { LabelSelector } from './workloads.ts';

type Labels = Readonly<Record<string, string>> | undefined;

/** Whether labels satisfy a selector. An absent selector selects nothing, an empty one everything, as the API defines it. */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  const matched = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels?.[key] === value);
  return matched && (selector.matchExpressions ?? []).every((expression) => holds(expression, labels));
}

/** Whether labels contain every pair of a plain map selector, as Services and node selectors use. */
export function containsLabels(labels: Labels, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => labels?.[key] === value);
}

function holds(expression: NonNullable<LabelSelector['matchExpressions']>[number], labels: Labels): boolean {
  const value = labels?.[expression.key];
  const operator = expression.operator as 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  switch (operator) {
    case 'In':
      return value !== undefined && (expression.values ?? []).includes(value);
    case 'NotIn':
      return value === undefined || !(expression.values ?? []).includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return assertNever(operator);
  }
}
