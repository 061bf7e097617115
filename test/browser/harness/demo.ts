import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const Ready = z.object({
  type: z.literal('ready'),
  url: z.string(),
  signIn: z.array(z.object({ principal: z.string(), role: z.string(), url: z.string() })),
});

export interface Demo {
  readonly base: string;
  /** One-time links by person. */
  readonly links: Readonly<Record<string, string>>;
  /** Ends the process and starts it again on the same port and data. Undefined for a demo that somebody else started. */
  readonly restart: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}

/** Takes the demo that is running at `base`, with the links that it printed into `file`. Throws when the file does not belong to it. */
export function runningDemo(base: string, file: string): Demo {
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const ready = readyOf(line);
    if (ready !== undefined) return { base, links: linksOf(ready), restart: undefined, close: () => Promise.resolve() };
  }
  throw new Error(
    `expected the first line of the demo's output in \`${file}\`, found none; start it with --json and keep its output`,
  );
}

const BOOT_MS = 180_000;

/** Starts a demo of its own on a free port, with data that go when it is closed. */
export async function startDemo(story: string): Promise<Demo> {
  const data = mkdtempSync(join(tmpdir(), 'hephaisto-browser-'));
  let { child, ready } = await boot(['--port', '0', '--story', story, '--data', data]);
  const port = new URL(ready.url).port;
  return {
    base: ready.url,
    links: linksOf(ready),
    async restart() {
      await ended(child);
      ({ child, ready } = await boot(['--port', port, '--story', story, '--data', data]));
    },
    async close() {
      await ended(child);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

type ReadyLine = z.infer<typeof Ready>;

async function boot(args: readonly string[]): Promise<{ child: ChildProcess; ready: ReadyLine }> {
  const child = spawn(process.execPath, [join(ROOT, 'operator/src/demo/main.ts'), '--json', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const ready = await new Promise<ReadyLine>((resolve, reject) => {
    const patience = setTimeout(
      () => reject(new Error(`the demo did not start in ${BOOT_MS} ms: ${said.join('').slice(-2000)}`)),
      BOOT_MS,
    );
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = readyOf(line);
      if (found === undefined) return;
      clearTimeout(patience);
      resolve(found);
    });
    child.once('exit', (code) => {
      clearTimeout(patience);
      reject(new Error(`the demo ended with ${code}: ${said.join('').slice(-2000)}`));
    });
  });
  return { child, ready };
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const hard = setTimeout(() => child.kill('SIGKILL'), 10_000);
    child.once('exit', () => {
      clearTimeout(hard);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

function readyOf(line: string): ReadyLine | undefined {
  try {
    const parsed = Ready.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

function linksOf(ready: ReadyLine): Record<string, string> {
  return Object.fromEntries(ready.signIn.map((link) => [link.principal, link.url]));
}
