import type { CheckResult, GateCode, GateResult } from './gate.ts';
import type { PolicyInput } from './input.ts';

/** One question about the facts. Says what it saw; what follows from it stands in the table. */
export type Check = (input: PolicyInput) => CheckResult;

export function clear(message: string, measured?: GateResult['measured']): CheckResult {
  return measured === undefined ? { kind: 'clear', message } : { kind: 'clear', message, measured };
}

export function violated(code: GateCode, message: string, measured?: GateResult['measured']): CheckResult {
  return measured === undefined ? { kind: 'violated', code, message } : { kind: 'violated', code, message, measured };
}

export function unreadable(what: string, why: string): CheckResult {
  return { kind: 'unknown', message: `${what} could not be read: ${why}` };
}
