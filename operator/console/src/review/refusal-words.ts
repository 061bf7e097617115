import type { Problem } from '@hephaisto/core/report/problem';
import { inertText, valueText } from '../parts/inert-text.ts';

const TITLES: Readonly<Record<string, string>> = {
  'already-decided': 'Somebody was faster.',
  'already-voted': 'You have voted already.',
  'target-changed': 'The target changed since you looked.',
  'digest-mismatch': 'This is not the proposal that is open now.',
  'switched-off': 'Actions are switched off.',
  'self-approval': 'Whoever proposed it cannot approve it.',
  'service-vote': 'Only people vote here.',
  'role-missing': 'You may not decide here.',
  'store-unavailable': 'The database is away.',
};

export function refusalTitle(code: string): string {
  return TITLES[code] ?? 'Refused.';
}

/** What the refusal says, with who decided and when where it tells: the loser of a race sees who won. */
export function refusalWords(
  problem: Pick<Problem, 'code' | 'detail' | 'details'>,
  names: ReadonlyMap<string, string>,
): string {
  const details = problem.details ?? {};
  if (problem.code === 'already-decided') {
    const who = personOf(details.by, names);
    const state = typeof details.state === 'string' ? details.state : 'Decided';
    if (who !== undefined) return `${state} by ${who}${timeOf(details.at)}.`;
  }
  if (problem.code === 'target-changed' && Array.isArray(details.delta) && details.delta.length > 0) {
    const delta = details.delta
      .slice(0, 4)
      .map(fieldOf)
      .filter((line) => line !== '');
    if (delta.length > 0) return `${delta.join('; ')}. Review the new revision.`;
  }
  return `${inertText(problem.detail)}.`;
}

function personOf(by: unknown, names: ReadonlyMap<string, string>): string | undefined {
  if (typeof by === 'string') return inertText(names.get(by) ?? by);
  if (typeof by !== 'object' || by === null) return undefined;
  if ('name' in by && typeof by.name === 'string') return inertText(by.name);
  return 'subject' in by ? valueText(by.subject) : undefined;
}

function timeOf(at: unknown): string {
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) return '';
  return ` at ${new Date(at).toTimeString().slice(0, 8)}`;
}

function fieldOf(field: unknown): string {
  if (typeof field !== 'object' || field === null || !('path' in field)) return '';
  const [from, to] = ['from' in field ? field.from : undefined, 'to' in field ? field.to : undefined];
  return `${valueText(field.path)}: ${valueText(from)} → ${valueText(to)}`;
}
