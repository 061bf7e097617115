/**
 * Suites in order. `minutes`: what each may take, several times what it takes on two quiet cores. `again`: the suite is played once more
 * when it failed; the two with an option of that name repeat only the file or story that failed.
 */
export const SUITES = [
  { name: 'test', minutes: 14, command: ['npm', 'test', '--', '--second-try'], counted: true },
  { name: 'verify', minutes: 4, command: ['npm', 'run', 'verify', '--', '--without-tests'] },
  { name: 'stories', minutes: 10, command: ['npm', 'run', 'stories', '--', '--second-try'], counted: true },
];
