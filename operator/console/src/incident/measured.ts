import type { IncidentReport, Sample } from '@hephaisto/core/report/incident';

/** The symptom in numbers, from recorded samples only. Absent where none was recorded: zero is shown only when it was measured. */
export interface Measured {
  readonly now: Sample;
  readonly first: Sample;
  readonly lowest: Sample;
  /** Restarts since the first sample. */
  readonly restarts: number;
  /** Around the first change that was carried out, where there was one. */
  readonly around:
    | {
        readonly before: Sample;
        readonly after: Sample;
        readonly restartsBefore: number;
        readonly restartsAfter: number;
      }
    | undefined;
}

type Part = Pick<IncidentReport, 'samples' | 'actions' | 'changes' | 'firstSignalAt'>;

export function measure(report: Part): Measured | undefined {
  const samples = sinceItBegan(report);
  const [first] = samples;
  const now = samples.at(-1);
  if (first === undefined || now === undefined) return undefined;
  // The first one is how it stood before; what it fell to is among the others.
  const lowest = samples.slice(1).reduce((least, sample) => (sample.ready < least.ready ? sample : least), now);
  return { now, first, lowest, restarts: grown(samples), around: aroundAct(samples, report.actions) };
}

/** Samples from the last one before the fault on: what a workload went through when it was first installed is no impact. */
function sinceItBegan({ samples, changes, firstSignalAt }: Part): readonly Sample[] {
  const sorted = [...samples].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const began = Math.min(
    Date.parse(firstSignalAt),
    ...changes.flatMap(({ at }) => (at === null ? [] : Date.parse(at))),
  );
  const first = sorted.findLastIndex((sample) => Date.parse(sample.at) <= began);
  return sorted.slice(Math.max(0, first));
}

function aroundAct(samples: readonly Sample[], actions: IncidentReport['actions']): Measured['around'] {
  const acts = actions.flatMap((action) => action.executedAt ?? []).sort();
  const [act] = acts;
  if (act === undefined) return undefined;
  const at = Date.parse(act);
  const earlier = samples.filter((sample) => Date.parse(sample.at) <= at);
  const later = samples.filter((sample) => Date.parse(sample.at) > at);
  const [before, after] = [earlier.at(-1), later.at(-1)];
  if (before === undefined || after === undefined) return undefined;
  return { before, after, restartsBefore: grown(earlier), restartsAfter: grown([before, ...later]) };
}

/** All increases together: a count that went down began anew, since its pods were replaced. */
function grown(samples: readonly Sample[]): number {
  return samples.reduce((sum, sample, index) => {
    const before = samples[index - 1]?.restarts ?? sample.restarts;
    return sum + (sample.restarts >= before ? sample.restarts - before : sample.restarts);
  }, 0);
}
