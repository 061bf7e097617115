import { assertNever } from '@hephaisto/core/assert-never';
import { CHAIN } from './chain.ts';
import type { Check } from './check.ts';
import type { CheckResult, Gate, GateCode, GateResult } from './gate.ts';
import type { PolicyInput } from './input.ts';
import { type Cell, GATE_TABLE, type Subject } from './table.ts';

export const DECISIONS = ['Allow', 'RequireApproval', 'Deny'] as const;
export type DecisionKind = (typeof DECISIONS)[number];

export interface Decision {
  readonly decision: DecisionKind;
  /** Every gate in order, those that passed too. */
  readonly gates: readonly GateResult[];
  /** Codes of the gates that deny or ask, in order. */
  readonly codes: readonly GateCode[];
  /** How many different people must agree. */
  readonly quorum: 1 | 2;
}

/**
 * May this action run now? Pure: the same input gives the same answer. Denies by default: an input that no rule speaks of, a fact that could not be
 * read, or a check that throws, denies. All gates are asked, so that the answer says everything that stands in the way and not only the first.
 */
export function decide(input: PolicyInput): Decision {
  const subject: Subject = input.undo ? 'Inverse' : input.request.type;
  const gates = CHAIN.map(([gate, check]) => judge(gate, check, subject, input));
  const quorum = input.rule?.quorum ?? 1;
  const codes = gates.flatMap(({ code, verdict }) =>
    code !== 'ok' && (verdict === 'deny' || verdict === 'ask') ? [code] : [],
  );
  return { decision: verdictOf(gates, input, quorum), gates, codes, quorum };
}

function verdictOf(gates: readonly GateResult[], { approval }: PolicyInput, quorum: 1 | 2): DecisionKind {
  if (gates.some(({ verdict }) => verdict === 'deny')) return 'Deny';
  const asking = gates.filter(({ verdict }) => verdict === 'ask');
  if (asking.length === 0) return 'Allow';
  const voters = new Set(approval.by).size;
  return voters >= quorum && unanswered(gates, approval).length === 0 ? 'Allow' : 'RequireApproval';
}

/** Asking gates that the approval does not answer: it was given before they asked. */
export function unanswered(
  gates: readonly GateResult[],
  { covers }: Pick<PolicyInput['approval'], 'covers'>,
): readonly GateResult[] {
  return gates.filter(
    ({ gate, verdict }) => verdict === 'ask' && GATE_TABLE[gate].cover !== 'any' && !covers.includes(gate),
  );
}

function judge(gate: Gate, check: Check, subject: Subject, input: PolicyInput): GateResult {
  const cell = GATE_TABLE[gate].cells[subject];
  if (cell.weight === 'exempt') return { gate, verdict: 'exempt', code: 'ok', message: cell.reason };
  try {
    return weighed(gate, cell, check(input));
  } catch (error: unknown) {
    const message = error instanceof Error ? error.message : String(error);
    return { gate, verdict: 'deny', code: 'check_failed', message: `the check failed, which denies: ${message}` };
  }
}

function weighed(gate: Gate, cell: Cell & { weight: 'deny' | 'ask' | 'exempt' }, result: CheckResult): GateResult {
  switch (result.kind) {
    case 'clear':
      return withMeasured({ gate, verdict: 'pass', code: 'ok', message: result.message }, result.measured);
    case 'violated': {
      const verdict = cell.weight === 'ask' ? 'ask' : 'deny';
      return withMeasured({ gate, verdict, code: result.code, message: result.message }, result.measured);
    }
    case 'unknown':
      return { gate, verdict: 'deny', code: 'unreadable', message: result.message };
    default:
      return assertNever(result);
  }
}

/** Without `measured` nothing is copied: a decision asks thirty gates, and each copy shows in its cost. */
function withMeasured(answer: GateResult, measured: GateResult['measured']): GateResult {
  return measured === undefined ? answer : { ...answer, measured };
}
