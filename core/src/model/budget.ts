/** What a call would be added to. All in dollars; spent amounts include what calls under way may still cost. */
export interface SpendFacts {
  /** The most that this call can cost. */
  readonly reservation: number;
  /** Kept back for the one concluding call; zero when this is that call. */
  readonly heldBack: number;
  readonly turnSpent: number;
  readonly hourSpent: number;
  readonly daySpent: number;
  readonly turnCalls: number;
}

export interface SpendLimits {
  readonly perTurn: number;
  readonly perHour: number;
  readonly perDay: number;
  readonly callsPerTurn: number;
  /** Multiple of the hourly limit at which something must be wrong with us. */
  readonly latchFactor: number;
}

export const SPEND_REFUSALS = ['budget-investigation', 'budget-calls', 'budget-hour', 'budget-day', 'runaway'] as const;
export type SpendRefusal = (typeof SPEND_REFUSALS)[number];

export type SpendVerdict =
  | { readonly kind: 'allowed'; readonly reason: 'within-budgets'; readonly message: string }
  | { readonly kind: 'refused'; readonly reason: SpendRefusal; readonly latch: boolean; readonly message: string };

/** Whether a call may start. A spend beyond the latch's multiple says so, whichever limit it is that refuses. */
export function judgeSpend(facts: SpendFacts, limits: SpendLimits): SpendVerdict {
  const latch = facts.hourSpent > limits.perHour * limits.latchFactor;
  const refuse = (reason: SpendRefusal, message: string): SpendVerdict => ({ kind: 'refused', reason, latch, message });
  if (latch)
    return refuse(
      'runaway',
      `expected at most ${usd(limits.perHour)} an hour, found ${usd(facts.hourSpent)} spent; acting alone is latched off until a person lifts it`,
    );
  if (facts.turnCalls >= limits.callsPerTurn)
    return refuse('budget-calls', `all ${limits.callsPerTurn} calls of the investigation are used`);
  const wanted = facts.reservation + facts.heldBack;
  if (facts.turnSpent + wanted > limits.perTurn)
    return refuse('budget-investigation', over('the investigation', facts.turnSpent, wanted, limits.perTurn));
  if (facts.hourSpent + facts.reservation > limits.perHour)
    return refuse('budget-hour', over('the hour', facts.hourSpent, facts.reservation, limits.perHour));
  if (facts.daySpent + facts.reservation > limits.perDay)
    return refuse('budget-day', over('the day', facts.daySpent, facts.reservation, limits.perDay));
  return { kind: 'allowed', reason: 'within-budgets', message: 'within all budgets' };
}

function over(what: string, spent: number, wanted: number, limit: number): string {
  return `the budget of ${what} is ${usd(limit)}: ${usd(spent)} are spent, the call may cost ${usd(wanted)}`;
}

function usd(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
}
