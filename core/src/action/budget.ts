/** How much of one budget is used within its sliding window, and how much there is. */
export interface BudgetUsage {
  readonly name: string;
  /** `installation`, or the namespace that the budget is counted for. */
  readonly scope: string;
  readonly used: number;
  readonly limit: number;
  readonly windowSeconds: number;
}

export type BudgetVerdict =
  | { readonly kind: 'within'; readonly left: number }
  | { readonly kind: 'exceeded'; readonly budget: BudgetUsage; readonly message: string };

/**
 * Whether one more action fits. The same arithmetic explains a refusal on a page as decides it in the transaction. The first budget that
 * is used up is named; `left` is the smallest remainder after this action.
 */
export function judgeBudgets(budgets: readonly BudgetUsage[]): BudgetVerdict {
  let left = Number.POSITIVE_INFINITY;
  for (const budget of budgets) {
    if (!(budget.used + 1 <= budget.limit)) return { kind: 'exceeded', budget, message: exceeded(budget) };
    left = Math.min(left, budget.limit - budget.used - 1);
  }
  return { kind: 'within', left };
}

function exceeded(budget: BudgetUsage): string {
  return `${budget.used} of ${budget.limit} actions used in ${budget.windowSeconds} s for ${budget.scope} (${budget.name})`;
}
