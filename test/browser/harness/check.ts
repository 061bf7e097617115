import type { World } from './world.ts';

/** One thing that must hold, named by a sentence. Fails by throwing. */
export interface Check {
  readonly name: string;
  /** May give figures, which are told with the outcome. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most checks give nothing, and should not have to say so
  run(world: World): Promise<Figures | void>;
}

export type Figures = Readonly<Record<string, number>>;

export interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly message?: string;
  readonly figures?: Figures;
}

const LONGEST_MS = 420_000;

/** Runs the checks in order; one that fails does not keep the next from running. */
export async function runChecks(
  checks: readonly Check[],
  world: World,
  onOutcome: (outcome: Outcome) => void,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const check of checks) {
    const started = performance.now();
    const ended = (ok: boolean, message?: string, figures?: Figures): Outcome => ({
      name: check.name,
      ok,
      ms: Math.round(performance.now() - started),
      ...(message === undefined ? {} : { message }),
      ...(figures === undefined ? {} : { figures }),
    });
    let outcome: Outcome;
    try {
      outcome = ended(true, undefined, (await withinTime(check.run(world))) ?? undefined);
    } catch (error: unknown) {
      outcome = ended(false, error instanceof Error ? error.message : String(error));
    }
    await world.tidy().catch(() => undefined);
    outcomes.push(outcome);
    onOutcome(outcome);
  }
  return outcomes;
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`expected an end within ${LONGEST_MS} ms, found none`)), LONGEST_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
