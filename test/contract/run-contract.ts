import { controlPlaneBinaries } from '../world/binaries.ts';
import { casesFor, type NamedCase } from './all-cases.ts';
import type { Asked } from './api.ts';
import { requestKind, writeCovered } from './coverage.ts';
import { type Difference, differences } from './difference.ts';
import { writeGolden } from './golden.ts';
import { type Observed, playAll } from './play.ts';
import { startReal, startSimulated } from './worlds.ts';

export interface ContractOptions {
  /** Only cases whose `group/id` contains this. */
  readonly only?: string;
  /** Writes what the real control plane answered to the golden files, and the covered kinds of request. */
  readonly record?: boolean;
  readonly onCase?: (result: CaseResult) => void;
}

export interface CaseResult {
  readonly id: string;
  readonly title: string;
  readonly verdict: 'same' | 'different';
  readonly differences: readonly Difference[];
  readonly ms: number;
}

/** Runs every case on both clusters. Throws WorldError where the real control plane cannot be had. */
export async function runContract(
  say: (line: string) => void,
  options: ContractOptions = {},
): Promise<{ passed: number; failed: number; covered: ReadonlySet<string> }> {
  const asked = { simulated: new Set<string>(), real: new Set<string>() };
  const note = (kinds: Set<string>) => (each: Asked) => void kinds.add(requestKind(each));
  const { kubectl } = await controlPlaneBinaries(say);
  const real = await startReal({ onAsked: note(asked.real), kubectl }, say);
  try {
    const simulated = await startSimulated({ onAsked: note(asked.simulated), kubectl });
    try {
      const recorded = new Map<string, unknown>();
      const counts = { passed: 0, failed: 0 };
      const started = Date.now();
      const cases = casesFor(options.only);
      await playAll([simulated, real], cases, (each, [ours, theirs]) => {
        const result = judge(each, ours, theirs, Date.now() - started);
        counts[result.verdict === 'same' ? 'passed' : 'failed'] += 1;
        if (theirs?.kind === 'observed') recorded.set(result.id, theirs.value);
        options.onCase?.(result);
      });
      const covered = new Set([...asked.real].filter((kind) => asked.simulated.has(kind)));
      if (options.record === true) {
        writeGolden(recorded);
        if (options.only === undefined) writeCovered(covered);
      }
      return { ...counts, covered };
    } finally {
      await simulated.close();
    }
  } finally {
    await real.close();
  }
}

function judge(each: NamedCase, ours: Observed | undefined, theirs: Observed | undefined, ms: number): CaseResult {
  const found =
    ours?.kind === 'observed' && theirs?.kind === 'observed'
      ? differences(ours.value, theirs.value)
      : [{ path: '', simulated: told(ours), real: told(theirs) }];
  return {
    id: `${each.group}/${each.case.id}`,
    title: each.case.title,
    verdict: found.length === 0 ? 'same' : 'different',
    differences: found,
    ms,
  };
}

function told(observed: Observed | undefined): string {
  return observed?.kind === 'broke' ? observed.error : 'answered';
}
