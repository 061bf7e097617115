import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { controlPlaneBinaries } from './binaries.ts';
import type { WorldState } from './describe-world.ts';
import { ensurePackages, WORLD_PACKAGES } from './packages.ts';
import { stateFile } from './places.ts';
import { postgresInstallation } from './postgres.ts';
import { WorldError } from './world-error.ts';

const USAGE = 'expected `world -- build|up|down|status [--json]`';

const LOWEST_PRIORITY = 19;

/** The standing world of this checkout. Exit codes: 0 done, 1 it cannot be had here or is not up, 2 usage. */
async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args.filter((arg) => arg !== '--json');
  if (rest.length > 0) return fail(2, `${USAGE}, found \`${rest.join(' ')}\``);
  if (command === 'build') return build();
  if (command === 'up') return up();
  if (command === 'down') return down();
  if (command === 'status') return status();
  return fail(2, `${USAGE}, found \`${command ?? 'nothing'}\``);
}

/** Everything that starting a world fetches, builds or installs, at the lowest priority so that it can run beside other work. */
async function build(): Promise<number> {
  const started = Date.now();
  const say = (line: string) => void process.stderr.write(`world: ${line}\n`);
  setPriority(LOWEST_PRIORITY);
  try {
    ensurePackages(
      WORLD_PACKAGES.map(({ name }) => name),
      say,
    );
    postgresInstallation(say);
    await controlPlaneBinaries(say);
  } catch (error: unknown) {
    if (!(error instanceof WorldError)) throw error;
    return fail(1, error.message);
  }
  say(`all is there after ${Math.round((Date.now() - started) / 1000)} s`);
  return 0;
}

function status(): number {
  const state = running();
  if (state === undefined) return fail(1, 'expected a running world, found none; start it with `npm run world -- up`');
  print(state);
  return 0;
}

async function up(): Promise<number> {
  const present = running();
  if (present !== undefined) {
    print(present);
    return 0;
  }
  const child = spawn(process.execPath, [fileURLToPath(new URL('supervisor.ts', import.meta.url))], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  }) as unknown as ChildProcessWithoutNullStreams;
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as
      | { type: 'say'; line: string }
      | { type: 'ready'; state: WorldState }
      | { type: 'failed'; message: string };
    if (message.type === 'say') process.stderr.write(`world: ${message.line}\n`);
    if (message.type === 'failed') return fail(1, message.message);
    if (message.type === 'ready') {
      await new Promise((resolve) => child.stdin.write('stay\n', resolve));
      print(message.state);
      child.unref();
      child.stdin.destroy();
      child.stdout.destroy();
      return 0;
    }
  }
  return fail(1, 'expected the world to start, found that its supervisor ended; run it again');
}

async function down(): Promise<number> {
  const state = running();
  if (state === undefined) return 0;
  process.kill(state.pid, 'SIGTERM');
  for (let waited = 0; waited < 30_000; waited += 100) {
    if (!isSupervisor(state.pid)) return 0;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  process.kill(state.pid, 'SIGKILL');
  return fail(1, 'expected the world to end within 30 s, found it had to be killed');
}

function running(): (WorldState & { readonly pid: number }) | undefined {
  if (!existsSync(stateFile())) return undefined;
  const state = JSON.parse(readFileSync(stateFile(), 'utf8')) as WorldState & { pid: number };
  return isSupervisor(state.pid) ? state : undefined;
}

/** A pid may have been given to another process since. */
function isSupervisor(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('world/supervisor.ts');
  } catch {
    return false;
  }
}

function print(state: WorldState): void {
  process.stdout.write(`${JSON.stringify(state)}\n`);
}

function fail(code: number, message: string): number {
  process.stderr.write(`${message}\n`);
  return code;
}

process.exitCode = await main(process.argv.slice(2));
