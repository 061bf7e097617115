import { nextReads } from '@hephaisto/core/diagnose/gather';
import { type Known, NOTHING_KNOWN } from '@hephaisto/core/diagnose/known';
import { missingObject } from '@hephaisto/core/diagnose/missing-object';
import { diagnose } from '@hephaisto/core/diagnose/rules';
import { pictureOf } from '@hephaisto/core/diagnose/settled';
import type { TypedCall } from '@hephaisto/core/diagnose/tools';
import { viewOf } from '@hephaisto/core/diagnose/view';
import type { Gap } from '@hephaisto/core/finding/finding';
import type { Conclusion, InvestigationSubject } from '@hephaisto/core/investigation/investigator';
import type { Clock, Timers } from '@hephaisto/core/ports/clock';
import type { Investigator, Recorder } from '@hephaisto/core/ports/investigator';
import { BudgetUsedUp } from './end.ts';

/** Rounds of questions; the rules ask three times at most, the rest is for rules to come. */
const MOST_ROUNDS = 6;

/** Present: the rules wait, bounded, until pods that have just ended or started show how they are. */
export interface Settling {
  readonly clock: Pick<Clock, 'now'>;
  readonly timers: Pick<Timers, 'sleep'>;
  /** The longest wait, and how long a container must have run to count as started. */
  readonly withinMs: number;
}

/** Parts of the longest wait after which the pods are read again: most pictures settle soon, and each reading is a step of the budget. */
const READ_AGAIN_AFTER = [0.1, 0.3, 0.6] as const;

/** Investigates by rules: asks what the gather plan says, all of a round at once, and evaluates every rule over the answers. */
export function createDiagnostician(settling?: Settling): Investigator {
  return {
    executor: 'Rules',
    investigate: (subject, recorder, signal) => concludeByRules(subject, recorder, signal, settling),
  };
}

/** What rules conclude from what the recorder lets them read. */
export async function concludeByRules(
  subject: InvestigationSubject,
  recorder: Recorder,
  signal: AbortSignal,
  settling?: Settling,
): Promise<Conclusion> {
  const { known, gaps } = await gather(subject, recorder, signal, settling);
  const missing = missingObject(subject, known);
  const findings = diagnose(viewOf(subject, known));
  const primary = findings.find((claim) => claim.primary);
  return {
    findings,
    gaps: missing === undefined ? gaps : [...gaps, missing],
    summary: primary?.statement ?? (missing === undefined ? 'No rule established a cause.' : `${missing.message}.`),
  };
}

async function gather(
  subject: InvestigationSubject,
  recorder: Recorder,
  signal: AbortSignal,
  settling: Settling | undefined,
): Promise<{ known: Known; gaps: Conclusion['gaps'] }> {
  const so = { known: NOTHING_KNOWN, gaps: [] as Gap[] };
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    if (signal.aborted) throw signal.reason;
    const calls = nextReads(subject, so.known);
    if (calls.length === 0 || !(await ask(so, recorder, calls, false))) break;
    if (round === 0 && settling !== undefined && !(await settle(subject, so, recorder, signal, settling))) break;
  }
  return so;
}

interface Gathered {
  known: Known;
  readonly gaps: Gap[];
}

/** Reads all of the calls at once. False once the budget has ended: what was read before still counts; any other end is the end. */
async function ask(so: Gathered, recorder: Recorder, calls: readonly TypedCall[], fresh: boolean): Promise<boolean> {
  const answers = await Promise.allSettled(calls.map((call) => recorder.call(call, { fresh })));
  for (const [index, answer] of answers.entries()) {
    const call = calls[index];
    if (call === undefined) continue;
    if (answer.status === 'rejected') {
      if (answer.reason instanceof BudgetUsedUp) return false;
      throw answer.reason;
    }
    if (answer.value.gap !== undefined) so.gaps.push(answer.value.gap);
    so.known = so.known.with(call, answer.value);
  }
  return true;
}

/** Reads the pods again until they show how they are, and then once more what else may have changed meanwhile. */
async function settle(
  subject: InvestigationSubject,
  so: Gathered,
  recorder: Recorder,
  signal: AbortSignal,
  { clock, timers, withinMs }: Settling,
): Promise<boolean> {
  const first = nextReads(subject, NOTHING_KNOWN);
  const pods = first.filter(({ tool }) => tool === 'get_pods' || tool === 'get_pod');
  let waited = false;
  for (const part of READ_AGAIN_AFTER) {
    if (pictureOf(viewOf(subject, so.known), clock.now(), withinMs).kind === 'settled') break;
    await timers.sleep(withinMs * part, signal);
    waited = true;
    if (!(await ask(so, recorder, pods, true))) return false;
  }
  return (
    !waited ||
    ask(
      so,
      recorder,
      first.filter((call) => !pods.includes(call)),
      true,
    )
  );
}
