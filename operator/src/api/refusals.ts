import { PROBLEM_CODES, type ProblemCode } from '@hephaisto/core/report/problem';
import type { Refusal } from './commands.ts';
import { ApiProblem } from './problem.ts';

/** Reasons of commands that have another name in the API, or that several commands word differently. */
const RENAMED: Readonly<Record<string, ProblemCode>> = {
  'illegal-edge': 'illegal-state',
  'still-open': 'not-revisable',
  'not-latest': 'not-revisable',
  'not-allowed': 'not-revisable',
  'not-open': 'illegal-state',
  'principal-not-found': 'person-not-found',
  'assignee-unknown': 'person-not-found',
  'reason-too-long': 'invalid-value',
  'note-empty': 'invalid-value',
  'note-too-long': 'invalid-value',
  'unknown-switch': 'switch-not-found',
  'unknown-value': 'invalid-value',
  'version-conflict': 'version-mismatch',
};

/** What a command refused, as the API says it. An unknown reason is a refusal all the same, never a success. */
export function refusalProblem(refusal: Refusal): ApiProblem {
  const known = (PROBLEM_CODES as readonly string[]).includes(refusal.reason)
    ? (refusal.reason as ProblemCode)
    : undefined;
  const code = known ?? RENAMED[refusal.reason] ?? 'illegal-state';
  return new ApiProblem(code, refusal.message, {
    details: { ...refusal.details, reason: refusal.reason },
  });
}
