import { nextReads } from '@hephaisto/core/diagnose/gather';
import { type Known, NOTHING_KNOWN } from '@hephaisto/core/diagnose/known';
import { diagnose } from '@hephaisto/core/diagnose/rules';
import { viewOf } from '@hephaisto/core/diagnose/view';
import type { Gap } from '@hephaisto/core/finding/finding';
import type { Conclusion, InvestigationSubject } from '@hephaisto/core/investigation/investigator';
import type { Investigator, Recorder } from '@hephaisto/core/ports/investigator';
import { BudgetUsedUp } from './end.ts';

/** Rounds of questions; the rules ask three times at most, the rest is for rules to come. */
const MOST_ROUNDS = 6;

/** Investigates by rules: asks what the gather plan says, all of a round at once, and evaluates every rule over the answers. */
export function createDiagnostician(): Investigator {
  return {
    executor: 'Rules',
    async investigate(subject, recorder, signal) {
      const { known, gaps } = await gather(subject, recorder, signal);
      const findings = diagnose(viewOf(subject, known));
      const primary = findings.find((claim) => claim.primary);
      return { findings, gaps, summary: primary?.statement ?? 'No rule established a cause.' };
    },
  };
}

async function gather(
  subject: InvestigationSubject,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<{ known: Known; gaps: Conclusion['gaps'] }> {
  let known = NOTHING_KNOWN;
  const gaps: Gap[] = [];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    if (signal.aborted) throw signal.reason;
    const calls = nextReads(subject, known);
    if (calls.length === 0) break;
    const answers = await Promise.allSettled(calls.map((call) => recorder.call(call)));
    for (const [index, answer] of answers.entries()) {
      const call = calls[index];
      if (call === undefined) continue;
      if (answer.status === 'rejected') {
        // What was read before the budget ended still counts; any other end is the end.
        if (answer.reason instanceof BudgetUsedUp) return { known, gaps };
        throw answer.reason;
      }
      if (answer.value.gap !== undefined) gaps.push(answer.value.gap);
      known = known.with(call, answer.value);
    }
  }
  return { known, gaps };
}
