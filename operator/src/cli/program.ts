import { INCIDENT_STATES } from '@hephaisto/core/incident/machine';
import { StorageRefused } from '@hephaisto/core/ports/database';
import { ROLES } from '@hephaisto/core/principal/service';
import { SEVERITIES } from '@hephaisto/core/signal/kind';
import { AGENT_MODES } from '@hephaisto/core/switches/modes';
import { Argument, Command, CommanderError, Option } from 'commander';
import { createClient } from './client.ts';
import { decide } from './commands/decide.ts';
import { listGrants, revokeGrant } from './commands/grants.ts';
import { getIncident, listIncidents, watchIncidents } from './commands/incidents.ts';
import { killSwitch } from './commands/kill-switch.ts';
import { setMode, showMode } from './commands/mode.ts';
import { reinvestigate } from './commands/reinvestigate.ts';
import { createToken, type TokenOptions } from './commands/token.ts';
import { CommandFailed, EXIT, type ExitCode } from './exit.ts';
import { clientOfLink } from './link-session.ts';
import { FORMATS, type Format, inert } from './output.ts';
import type { Terminal } from './terminal.ts';

interface GlobalOptions {
  readonly server?: string;
  readonly token?: string;
  readonly requestTimeout?: string;
  readonly output: Format;
  readonly headers: boolean;
}

/** Runs one command line. Never throws: every failure is a code and a sentence on stderr. */
export async function runCommandLine(args: readonly string[], terminal: Terminal, version: string): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  const program = buildProgram(terminal, version, async (run) => {
    code = await run();
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error: unknown) {
    return failure(error, terminal);
  }
}

function failure(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof CommanderError) {
    if (error.code === 'commander.help') terminal.talk('expected a command, found none; choose one of those above\n');
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  if (terminal.stop.aborted) return EXIT.done;
  if (error instanceof CommandFailed || error instanceof StorageRefused) {
    terminal.talk(`${error.message.split('\n').map(inert).join('\n')}\n`);
    return error.exitCode;
  }
  terminal.talk(
    `expected the command to work, found ${inert(error instanceof Error ? error.message : String(error))}\n`,
  );
  return EXIT.failed;
}

type Register = (run: () => Promise<ExitCode>) => Promise<void>;

/** The commands with their options. `register` is given the work of the command that was chosen. */
export function buildProgram(terminal: Terminal, version: string, register: Register): Command {
  const program = new Command('hephaisto')
    .description('finds, explains, repairs and verifies faults in a Kubernetes cluster')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.talk,
      outputError: (text, write) =>
        write(`expected a command line as --help shows it, found ${text.replace(/^error: /, '')}`),
    })
    .showHelpAfterError('(see --help)')
    .enablePositionalOptions(false);
  addServerCommands(program, terminal, version, register);
  addClientCommands(program, terminal, register);
  return program;
}

function addServerCommands(program: Command, terminal: Terminal, version: string, register: Register): void {
  const config = () =>
    new Option('--config <file>', 'configuration file (YAML or JSON); HEPHAISTO_CONFIG names it too');
  const fileOf = (options: { config?: string }) => options.config ?? terminal.env.HEPHAISTO_CONFIG;
  program
    .command('eval')
    .description('put the stories’ faults to the rules and to models, and say how each did')
    .option('--config <file>', 'configuration file that names a model; once for each model', collected, [])
    .option('--story <id>', 'one story, or all', 'all')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(FORMATS))
    .option('--no-headers', 'leave out the headings')
    .action((options: { config: string[]; story: string; output?: Format; headers: boolean }) =>
      register(async () => {
        const { evaluate } = await import('./commands/eval.ts');
        return evaluate(terminal, { ...options, output: options.output ?? 'table' });
      }),
    );
  program
    .command('run')
    .description('run the operator until it is stopped')
    .addOption(config())
    .action((options: { config?: string }) =>
      register(async () => {
        const { runOperator } = await import('./commands/run.ts');
        return runOperator(terminal, fileOf(options), version);
      }),
    );
  program
    .command('migrate')
    .description('bring the database to this version and end')
    .addOption(config())
    .action((options: { config?: string }) =>
      register(async () => {
        const { migrateDatabase } = await import('./commands/migrate.ts');
        return migrateDatabase(terminal, fileOf(options));
      }),
    );
  program
    .command('rbac')
    .description('print the account, Roles and ClusterRoles that the configuration needs, for `kubectl apply -f -`')
    .addOption(config())
    .option('-n, --namespace <name>', 'a namespace that a pattern of the policy means; may be repeated', collected, [])
    .option('--service-account <name>', 'account of the operator', 'hephaisto')
    .action((options: { config?: string; namespace: string[]; serviceAccount: string }) =>
      register(async () => {
        const { printRbac } = await import('./commands/rbac.ts');
        return printRbac(terminal, fileOf(options), options);
      }),
    );
  program
    .command('doctor')
    .description('say what is reachable, what is missing, what is lost by it, and the rule to add')
    .addOption(config())
    .addOption(new Option('-o, --output <format>', 'output format').choices(['table', 'json', 'yaml']).default('table'))
    .action((options: { config?: string; output: Format }) =>
      register(async () => {
        const { doctor } = await import('./commands/doctor.ts');
        return doctor(terminal, fileOf(options), options.output);
      }),
    );
}

function withClientOptions(command: Command): Command {
  return command
    .option('--server <url>', 'address of the operator (default: HEPHAISTO_SERVER or http://127.0.0.1:8080)')
    .option('--token <token>', 'bearer token (default: HEPHAISTO_TOKEN); `token create` makes one')
    .option('--request-timeout <duration>', 'how long one request may take', '30s')
    .addOption(new Option('-o, --output <format>', 'output format').choices([...FORMATS, 'table']).default('table'))
    .option('--no-headers', 'leave the header line out');
}

/** Values of an option that may be given several times. */
function collected(value: string, before: string[]): string[] {
  return [...before, value];
}

function addClientCommands(program: Command, terminal: Terminal, register: Register): void {
  const client = (options: GlobalOptions) => createClient(options, terminal);
  const incidents = program.command('incidents').description('read incidents');
  withClientOptions(incidents.command('list'))
    .description('list incidents, newest first')
    .option('-n, --namespace <name>', 'only of this namespace')
    .option('--state <states>', `only in these states, separated by commas: ${INCIDENT_STATES.join(', ')}`)
    .option('--severity <severities>', `only of these severities, separated by commas: ${SEVERITIES.join(', ')}`)
    .option('--open', 'only those that are not over')
    .option('-w, --watch', 'go on with what happens', false)
    .action((options) => register(() => listIncidents(client(options), terminal, options)));
  withClientOptions(incidents.command('get <id>'))
    .description('read one incident, by its number or id')
    .action((id: string, options) => register(() => getIncident(client(options), terminal, id, options.output)));
  withClientOptions(incidents.command('watch'))
    .description('follow what happens, one line an event')
    .option('-n, --namespace <name>', 'only of this namespace')
    .action((options) => register(() => watchIncidents(client(options), terminal, options)));
  for (const decision of ['approve', 'deny'] as const) {
    withClientOptions(program.command(`${decision} <id>`))
      .description(`${decision} a proposal, by its id or its incident’s number`)
      .option('--digest <digest>', 'the whole digest of the proposal as `incidents get` shows it')
      .option('--reason <text>', 'why')
      .action((id: string, options) => register(() => decide(client(options), terminal, decision, id, options)));
  }
  withClientOptions(program.command('killswitch'))
    .description('stop all acting, lift the stop, or say how it stands')
    .addArgument(new Argument('<what>', 'on, off or status').choices(['on', 'off', 'status']))
    .option('--reason <text>', 'why; required for on and off')
    .action((what: 'on' | 'off' | 'status', options) =>
      register(() => killSwitch(client(options), terminal, what, options)),
    );
  const mode = program.command('mode').description('how far the product may go');
  withClientOptions(mode.command('show'))
    .description('say which mode is in force, and what each arm says')
    .action((options) => register(() => showMode(client(options), terminal, options.output)));
  withClientOptions(mode.command('set'))
    .description('set the mode; an admin’s')
    .addArgument(new Argument('<mode>', AGENT_MODES.join(', ')).choices(AGENT_MODES))
    .option('--reason <text>', 'why; required')
    .action((value: string, options) => register(() => setMode(client(options), terminal, value, options)));
  withClientOptions(program.command('reinvestigate <id>'))
    .description('look at an incident again, by its number or id')
    .option('--reason <text>', 'why; required')
    .option('--anyway', 'even though all that the finding quotes stands as it stood')
    .action((id: string, options) => register(() => reinvestigate(client(options), terminal, id, options)));
  const grants = program.command('grants').description('roles of accounts; for an admin');
  withClientOptions(grants.command('list'))
    .description('list the roles of all accounts, each with its source')
    .action((options) => register(() => listGrants(client(options), terminal, options)));
  withClientOptions(grants.command('revoke <id>'))
    .description('revoke one grant, by its id, with the sessions, links and tokens that lived from it')
    .action((id: string, options) => register(() => revokeGrant(client(options), terminal, id, options.output)));
  const token = program.command('token').description('tokens of programs');
  withClientOptions(token.command('create'))
    .description('make a token; it is printed once')
    .requiredOption('--principal <name>', 'whose it is; made if unknown')
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory())
    .option('-n, --namespace <name>', 'only in this namespace; may be repeated', collected, [])
    .option('--name <name>', 'what it is for')
    .option('--expires-in <duration>', 'how long it works, e.g. 30d')
    .option('--link <url>', 'spend this sign-in link instead of a token: the way to the first one')
    .action((options: GlobalOptions & TokenOptions & { link?: string }) =>
      register(async () => {
        const asking = options.link === undefined ? client(options) : await clientOfLink(options.link, terminal);
        return createToken(asking, terminal, options);
      }),
    );
}
