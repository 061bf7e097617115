/** The investigation's budget is used up; what was found until then stands. */
export class BudgetUsedUp extends Error {
  readonly tag = 'BudgetUsedUp';
  readonly budget: 'steps' | 'time';
  constructor(budget: 'steps' | 'time', message: string) {
    super(message);
    this.name = 'BudgetUsedUp';
    this.budget = budget;
  }
}

/** The incident has moved on: closed by a person, or quiet. Nothing of this investigation is wanted any more. */
export class InvestigationStopped extends Error {
  readonly tag = 'InvestigationStopped';
  constructor(state: string) {
    super(`expected an incident under investigation, found it ${state}`);
    this.name = 'InvestigationStopped';
  }
}
