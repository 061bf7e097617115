/** Minutes that each suite against the real control plane may take: about twice what it takes on two quiet cores. */
export const REAL_MINUTES = {
  contract: 4,
  stories: 8,
  replicas: 3,
  fencing: 3,
  races: 5,
  'lost-answers': 3,
  crashes: 15,
  database: 8,
  load: 3,
  surroundings: 4,
};

/** To start the one world that all real suites share, and to stop it. */
const WORLD_MINUTES = 2;
const realMinutes = Object.values(REAL_MINUTES).reduce((sum, minutes) => sum + minutes, WORLD_MINUTES);

/**
 * Suites in order. `minutes`: what each may take, about twice what it takes on two quiet cores. Those with `--second-try` repeat what failed in
 * them; `again`: the whole suite is played once more when it failed.
 */
export const SUITES = [
  { name: 'test', minutes: 14, command: ['npm', 'test', '--', '--second-try'], counted: true },
  { name: 'verify', minutes: 4, command: ['npm', 'run', 'verify', '--', '--without-tests'] },
  { name: 'stories', minutes: 10, command: ['npm', 'run', 'stories', '--', '--second-try'], counted: true },
  {
    name: 'browser',
    minutes: 10,
    command: ['npm', 'run', 'test:browser', '--'],
    counted: true,
    needs: 'world',
    again: true,
  },
  // Each real suite holds itself to its own minutes, so that one that hangs costs the others nothing.
  {
    name: 'real',
    minutes: realMinutes,
    command: ['npm', 'run', 'test:real', '--', '--second-try'],
    counted: true,
    needs: 'world',
  },
];
