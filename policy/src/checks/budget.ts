import { judgeBudgets } from '@hephaisto/core/action/budget';
import { type Check, clear, unreadable, violated } from '../check.ts';

export const budget: Check = ({ budgets }) => {
  if (!budgets.known) return unreadable('the budgets', budgets.why);
  if (budgets.value.length === 0)
    return { kind: 'unknown', message: 'no budget is set, so nothing bounds how often this happens' };
  const verdict = judgeBudgets(budgets.value);
  return verdict.kind === 'within'
    ? clear(`${verdict.left} more would fit after this one`, { left: verdict.left })
    : violated('budget_exceeded', verdict.message, { used: verdict.budget.used, limit: verdict.budget.limit });
};
