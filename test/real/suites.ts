import { REAL_MINUTES } from '../../.ci/suites.mjs';
import type { Context } from './context.ts';

/** One suite against the real world. */
export interface Suite {
  /** What it may take on two cores, stated and enforced: a suite that needs longer fails. */
  readonly minutes: number;
  run(context: Context): Promise<void>;
}

/** A suite that is loaded when it is its turn, so that one that does not load fails alone. */
const suite = (name: keyof typeof REAL_MINUTES, run: Suite['run']): readonly [string, Suite] => [
  name,
  { minutes: REAL_MINUTES[name], run },
];

/** Every suite by its name, in the order in which they run. */
export const SUITES: Readonly<Record<string, Suite>> = Object.fromEntries([
  suite('contract', async (context) => (await import('./suites/contract.ts')).runContractSuite(context)),
  suite('stories', async (context) => (await import('./suites/stories.ts')).runStories(context)),
  suite('replicas', async (context) => (await import('./suites/replicas.ts')).runReplicas(context)),
  suite('fencing', async (context) => (await import('./suites/fencing.ts')).runFencing(context)),
  suite('races', async (context) => (await import('./suites/races.ts')).runRaces(context)),
  suite('lost-answers', async (context) => (await import('./suites/lost-answers.ts')).runLostAnswers(context)),
  suite('crashes', async (context) => (await import('./suites/crashes.ts')).runCrashes(context)),
  suite('database', async (context) => (await import('./suites/database.ts')).runDatabase(context)),
  suite('load', async (context) => (await import('./suites/load.ts')).runLoad(context)),
  suite('surroundings', async (context) => (await import('./suites/surroundings.ts')).runSurroundings(context)),
]);
