import { createRedactor } from '@hephaisto/core/evidence/redact';
import { inTurns, type YieldToEventLoop } from '../flow/event-loop-turns.ts';

/** Redacts an answer of any size; the event loop gets a turn between two steps. */
export function redactInTurns<T>(value: T, yieldToEventLoop: YieldToEventLoop): Promise<T> {
  return inTurns(createRedactor().deepInSteps(value), yieldToEventLoop);
}
