import type { FieldDiff, Gate, Proposal } from '@hephaisto/core/report/action';
import { type Facts, facts, list, text } from './rows.ts';

/** What the frozen text says, for people. A text of an older version shows what can be read of it and nothing invented. */
export function contentOf(canonical: string): Pick<Proposal, 'diff' | 'byHand' | 'request' | 'blastRadius' | 'undo'> {
  const content = parsed(canonical);
  return {
    diff: list(content.diff).map(diffOf),
    byHand: list(content.byHand).map((command) => text(command) ?? ''),
    request: facts(content.request),
    blastRadius: facts(content.blastRadius),
    undo: facts(content.inverse),
  };
}

function parsed(canonical: string): Facts {
  try {
    return facts(JSON.parse(canonical)) ?? {};
  } catch {
    return {};
  }
}

function diffOf(value: unknown): FieldDiff {
  const field = facts(value) ?? {};
  return { path: text(field.path) ?? '', from: text(field.from), to: text(field.to) };
}

export function gateOf(value: unknown): Gate {
  const gate = facts(value) ?? {};
  return {
    gate: text(gate.gate) ?? '',
    verdict: text(gate.verdict) ?? '',
    code: text(gate.code) ?? '',
    message: text(gate.message) ?? '',
    measured: facts(gate.measured),
  };
}
