import { createRedactor } from '@hephaisto/core/evidence/redact';
import type { YieldToEventLoop } from '../flow/event-loop-turns.ts';

/** Redacts an answer of any size; the event loop gets a turn between two steps. */
export async function redactInTurns<T>(value: T, yieldToEventLoop: YieldToEventLoop): Promise<T> {
  const steps = createRedactor().deepInSteps(value);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    await yieldToEventLoop();
  }
}
