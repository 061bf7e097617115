import type { NamedCase } from './all-cases.ts';
import { normaliseText } from './normalise.ts';
import type { ContractWorld } from './worlds.ts';

export type Observed =
  | { readonly kind: 'observed'; readonly value: unknown }
  | { readonly kind: 'broke'; readonly error: string };

const AT_ONCE = 8;

/** Runs the cases on each of the worlds, several at once, those that need the cluster for themselves last and one by one. */
export async function playAll(
  worlds: readonly ContractWorld[],
  cases: readonly NamedCase[],
  onDone: (each: NamedCase, observed: readonly Observed[]) => void,
): Promise<void> {
  const shared = cases.filter((each) => each.case.exclusive !== true).sort((a, b) => weight(b) - weight(a));
  const exclusive = cases.filter((each) => each.case.exclusive === true);
  const play = async (each: NamedCase) => onDone(each, await Promise.all(worlds.map((world) => playOne(world, each))));
  const queue = [...shared];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await play(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const each of exclusive) await play(each);
}

/** Long ones first, so that none of them is left over at the end. */
function weight({ group }: NamedCase): number {
  return group === 'controllers' ? 3 : group === 'kubectl' ? 2 : group === 'stories' ? 1 : 0;
}

async function playOne(world: ContractWorld, each: NamedCase): Promise<Observed> {
  try {
    const stage = await world.stage(`c-${each.case.id}`.slice(0, 60));
    const found = await Promise.race([each.case.run(stage), tooLong()]);
    const value = JSON.parse(JSON.stringify(found ?? null)) as unknown;
    return { kind: 'observed', value };
  } catch (error: unknown) {
    return {
      kind: 'broke',
      error: normaliseText(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    };
  }
}

const LONGEST_CASE_MS = 120_000;

function tooLong(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`expected an end within ${LONGEST_CASE_MS / 1000} s`)), LONGEST_CASE_MS).unref();
  });
}
