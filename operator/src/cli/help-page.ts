import type { Command } from 'commander';
import { EXIT } from './exit.ts';
import { buildProgram } from './program.ts';

/** The reference of the command line, as `--help` says it. */
export function helpPage(): string {
  const never = new AbortController().signal;
  const terminal = { out: () => undefined, talk: () => undefined, env: {}, stop: never };
  const program = buildProgram(terminal, '', async () => undefined);
  return [
    '# Command line',
    '',
    'Data goes to stdout, talk to stderr. Commands that speak to a server take its address and a bearer token from `--server` and `--token`,',
    'or from `HEPHAISTO_SERVER` and `HEPHAISTO_TOKEN`.',
    '',
    '| exit code | meaning |',
    '|---|---|',
    ...Object.entries(MEANINGS).map(([name, meaning]) => `| ${EXIT[name as keyof typeof EXIT]} | ${meaning} |`),
    '',
    ...sections(program, []),
  ].join('\n');
}

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done; a stop by Ctrl-C or SIGTERM included',
  failed: 'failed, refused, or (doctor) a configured capability is missing',
  usage: 'wrong usage or configuration',
  portTaken: 'the port is taken',
  dataFolder: 'the data folder or database is locked, foreign, broken or newer',
  surroundings: 'network, permissions or runtime',
  overPrivileged: 'refused to start with more rights than the configuration needs',
};

function sections(command: Command, parents: readonly string[]): readonly string[] {
  const path = [...parents, command.name()];
  const own =
    parents.length === 0 ? [] : [`## ${path.join(' ')}`, '', '```', command.helpInformation().trimEnd(), '```', ''];
  return [...own, ...command.commands.flatMap((child) => sections(child, path))];
}
