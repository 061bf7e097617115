/** A suite against the real control plane, with the minutes that it holds itself to and one to start and stop its world. */
const real = (name, minutes) => ({
  name: `real ${name}`,
  minutes: minutes + 1,
  command: ['npm', 'run', 'test:real', '--', '--suite', name, '--second-try'],
  counted: true,
  needs: 'world',
});

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
  real('contract', 4),
  real('stories', 6),
  real('replicas', 3),
  real('fencing', 3),
  real('races', 5),
  real('lost-answers', 3),
  real('crashes', 17),
  real('database', 4),
  real('load', 2),
  real('surroundings', 4),
];
