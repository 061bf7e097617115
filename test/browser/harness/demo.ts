import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { freePorts } from '../../world/child.ts';
import { WrongCall } from './wrong-call.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const READY_FILE = 'ready.json';
const Ready = z.object({
  type: z.literal('ready'),
  url: z.string(),
  signIn: z.array(z.object({ principal: z.string(), role: z.string(), url: z.string() })),
});
type ReadyLine = z.infer<typeof Ready>;

/** A server with the console, and a way in. */
export interface Server {
  readonly base: string;
  /** A one-time link as it is handed out now; the next one may differ. */
  linkOf(person: string): Promise<string>;
}

export interface Demo extends Server {
  /** Ends the process and starts it again on the same port and data. Undefined for a demo that somebody else started. */
  readonly restart: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}

/**
 * Takes the demo that is running at `base`, with the links that it leaves for programs: in the data folder, or, where none is named, at the
 * place that its port names. Throws WrongCall when there are none, or another demo's.
 */
export function runningDemo(base: string, folder: string | undefined): Demo {
  const { port } = new URL(base);
  const path = folder === undefined ? join(ROOT, '.hephaisto', 'running', `${port}.json`) : join(folder, READY_FILE);
  const left = readyAt(path);
  if (left === undefined)
    throw new WrongCall(
      `expected the demo at ${base} to have left \`${path}\`, found none; start one with \`npm run demo\`, or name its data folder with --data`,
    );
  if (new URL(left.url).port !== port)
    throw new WrongCall(
      `expected \`${path}\` to be of the demo at ${base}, found that of ${left.url}; name the right folder with --data`,
    );
  return { base, linkOf: (person) => linkIn(path, person), restart: undefined, close: () => Promise.resolve() };
}

const BOOT_MS = 180_000;

/** Starts a demo of its own on a free port, which it has again when it is started again, with data that go when it is closed. */
export async function startDemo(story: string): Promise<Demo> {
  const data = mkdtempSync(join(tmpdir(), 'hephaisto-browser-'));
  const port = String((await freePorts(1))[0]);
  let { child, url } = await boot(['--port', port, '--story', story, '--data', data]);
  return {
    base: url,
    linkOf: (person) => linkIn(join(data, READY_FILE), person),
    async restart() {
      await ended(child);
      ({ child } = await boot(['--port', port, '--story', story, '--data', data]));
    },
    async close() {
      await ended(child);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function boot(args: readonly string[]): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [join(ROOT, 'operator/src/demo/main.ts'), '--json', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    const patience = setTimeout(
      () => reject(new Error(`the demo did not start in ${BOOT_MS} ms: ${said.join('').slice(-2000)}`)),
      BOOT_MS,
    );
    createInterface({ input: child.stdout }).on('line', (line) => {
      const ready = readyIn(line);
      if (ready === undefined) return;
      clearTimeout(patience);
      resolve(ready.url);
    });
    child.once('exit', (code) => {
      clearTimeout(patience);
      reject(new Error(`the demo ended with ${code}: ${said.join('').slice(-2000)}`));
    });
  });
  return { child, url };
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const hard = setTimeout(() => child.kill('SIGKILL'), 10_000);
    child.once('exit', () => {
      clearTimeout(hard);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

function linkIn(path: string, person: string): Promise<string> {
  const link = readyAt(path)?.signIn.find(({ principal }) => principal === person)?.url;
  return link === undefined
    ? Promise.reject(
        new Error(`expected a sign-in link for ${person} in \`${path}\`, found none; does the demo still run?`),
      )
    : Promise.resolve(link);
}

function readyAt(path: string): ReadyLine | undefined {
  return existsSync(path) ? readyIn(readFileSync(path, 'utf8')) : undefined;
}

function readyIn(line: string): ReadyLine | undefined {
  try {
    const parsed = Ready.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
