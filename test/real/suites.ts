import type { Context } from './context.ts';

/** One suite against the real world. */
export interface Suite {
  /** What it may take on two cores, stated and enforced: a suite that needs longer fails. */
  readonly minutes: number;
  run(context: Context): Promise<void>;
}

/**
 * Every suite by its name, in the order in which they run. Loaded when it is its turn, so that one that does not load fails alone.
 */
export const SUITES: Readonly<Record<string, Suite>> = {
  contract: { minutes: 4, run: async (context) => (await import('./suites/contract.ts')).runContractSuite(context) },
  stories: { minutes: 6, run: async (context) => (await import('./suites/stories.ts')).runStories(context) },
  replicas: { minutes: 3, run: async (context) => (await import('./suites/replicas.ts')).runReplicas(context) },
  fencing: { minutes: 3, run: async (context) => (await import('./suites/fencing.ts')).runFencing(context) },
  races: { minutes: 5, run: async (context) => (await import('./suites/races.ts')).runRaces(context) },
  'lost-answers': {
    minutes: 3,
    run: async (context) => (await import('./suites/lost-answers.ts')).runLostAnswers(context),
  },
  crashes: { minutes: 17, run: async (context) => (await import('./suites/crashes.ts')).runCrashes(context) },
  database: { minutes: 4, run: async (context) => (await import('./suites/database.ts')).runDatabase(context) },
  load: { minutes: 2, run: async (context) => (await import('./suites/load.ts')).runLoad(context) },
  surroundings: {
    minutes: 4,
    run: async (context) => (await import('./suites/surroundings.ts')).runSurroundings(context),
  },
};
