// Plain JavaScript for the host's Node.

/** Options of each command that means something else without them. Those of npm's own names, such as --json, are its, too. */
const OPTIONS = {
  demo: ['port', 'data', 'story', 'speed', 'approve-as', 'model', 'json', 'exit'],
  sim: ['port', 'story', 'speed', 'json'],
  test: ['counts', 'second-try'],
  verify: ['without-tests'],
  stories: ['story', 'speed', 'counts', 'second-try'],
  world: ['json'],
  'test:real': ['suite', 'story', 'db', 'runs', 'seed', 'counts', 'json', 'second-try'],
  'test:browser': ['base-url'],
  bench: ['real', 'write'],
  generate: ['check'],
  hephaisto: [
    ...[
      'config',
      'output',
      'server',
      'token',
      'request-timeout',
      'namespace',
      'service-account',
      'story',
      'state',
      'severity',
    ],
    ...['open', 'watch', 'digest', 'reason', 'anyway', 'principal', 'role', 'name', 'expires-in', 'link'],
  ],
};

/**
 * One sentence when npm has taken options of the command for its own, which it does with everything before `--`; undefined when it has
 * not. npm leaves them in the environment of what it starts.
 */
export function swallowedHint(command, args, environment) {
  // Somebody else's npm further up has options of its own.
  if (environment.npm_lifecycle_event !== command) return undefined;
  const taken = (OPTIONS[command] ?? []).filter((name) => {
    const value = environment[`npm_config_${name.replaceAll('-', '_')}`] ?? '';
    return (
      value !== '' && value !== 'false' && !args.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`))
    );
  });
  if (taken.length === 0) return undefined;
  const [word, written] = [command === 'test' ? 'npm test' : `npm run ${command}`, taken.map((name) => `--${name}`)];
  return `npm has kept ${written.join(', ')} to itself; options of ours come after two dashes: \`${word} -- ${written[0]} …\``;
}
