import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { WorldError } from './world-error.ts';

export interface Child {
  readonly name: string;
  readonly process: ChildProcess;
  readonly logFile: string;
  /** Sends the signal and resolves when the process is gone; kills it after ten seconds. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface ChildOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly logFile: string;
  /** Runs as this user where we are root. */
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Starts a process that the kernel kills with its parent, so that nothing outlives a killed run. Its output goes to a file and it
 * shares no terminal handle with us.
 */
export function startChild(options: ChildOptions): Child {
  mkdirSync(dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, 'a');
  const asUser = options.user !== undefined && process.getuid?.() === 0 ? switchTo(options.user) : [];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...asUser, '--', options.command, ...options.args], {
    stdio: ['ignore', log, log],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '', HOME: '/tmp', LC_ALL: 'C', TZ: 'UTC', ...options.environment },
  });
  // The child has its own by now; ours would add up over a run of hundreds.
  closeSync(log);
  const gone = new Promise<void>((resolve) => {
    child.on('close', () => resolve());
    child.on('error', () => resolve());
  });
  return {
    name: options.name,
    process: child,
    logFile: options.logFile,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** Waits until `ready` holds; throws with the end of the log when the process ends first or time is up. */
export async function waitReady(child: Child, ready: () => Promise<boolean>, seconds: number): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    if (child.process.exitCode !== null || child.process.signalCode !== null)
      throw new WorldError(`expected ${child.name} to run, found that it ended: ${tail(child.logFile)}`);
    if (await ready().catch(() => false)) return;
    if (Date.now() > deadline)
      throw new WorldError(
        `expected ${child.name} to be ready within ${seconds} s, found it was not: ${tail(child.logFile)}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-5).join(' | ').slice(-1500);
}

/** Below the range from which Linux takes the near end of outgoing connections (32768 to 60999 unless set otherwise). */
const PORTS = { from: 10_000, to: 32_767 };
const given = new Set<number>();

/**
 * Ports nobody uses, each given once by this process. They are free again when this returns and stay so while what listens there is killed
 * and started again: a port that the kernel chose would be its to give to any outgoing connection meanwhile.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(PORTS.from, PORTS.to + 1);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Runs a command to its end and gives its output; throws WorldError with its complaint. */
export function runToEnd(
  command: string,
  args: readonly string[],
  options: { readonly user?: string; readonly input?: string } = {},
): string {
  const asUser = options.user !== undefined && process.getuid?.() === 0;
  const [program, rest] = asUser
    ? ['setpriv', [...switchTo(options.user ?? ''), '--', command, ...args]]
    : [command, args];
  const result = spawnSync(program, [...rest], {
    encoding: 'utf8',
    cwd: '/',
    env: { PATH: process.env.PATH ?? '', HOME: '/tmp', LC_ALL: 'C' },
    ...(options.input === undefined ? {} : { input: options.input }),
  });
  if (result.status !== 0)
    throw new WorldError(
      `expected \`${command} ${args.slice(0, 3).join(' ')}\` to succeed, found ${result.error?.message ?? `exit ${result.status}: ${(result.stderr || result.stdout).trim().slice(-800)}`}`,
    );
  return result.stdout;
}

/** A user's group need not have the user's name. */
function switchTo(user: string): readonly string[] {
  const group = spawnSync('id', ['-g', user], { encoding: 'utf8' }).stdout.trim();
  return [`--reuid=${user}`, `--regid=${group}`, '--init-groups'];
}
