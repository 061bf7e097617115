import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** As a person starts it. */
const LAUNCH = fileURLToPath(new URL('../../operator/bin/launch.mjs', import.meta.url));
/** How long the demo is watched after it is ready: long enough for the first incident to have been looked into. */
const WATCH_MS = 25_000;

export interface DemoFigures {
  readonly firstStartMiB: number;
  readonly laterStartMiB: number;
  readonly laterReadyMs: number;
}

/** Largest resident memory of the demo at a first and a later start on the same folder, and how soon the later one serves its first page. */
export async function measureDemo(): Promise<DemoFigures> {
  const data = mkdtempSync(join(tmpdir(), 'hephaisto-bench-'));
  try {
    const first = await start(data);
    const later = await start(data);
    return { firstStartMiB: first.peakMiB, laterStartMiB: later.peakMiB, laterReadyMs: later.pageMs };
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

async function start(data: string): Promise<{ readonly peakMiB: number; readonly pageMs: number }> {
  const started = performance.now();
  const child = spawn(process.execPath, [LAUNCH, 'demo', '--json', '--port', '0', '--data', data], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  const { url, pid } = JSON.parse(first.value ?? '{}') as { url: string; pid: number };
  const page = await fetch(url);
  if (!page.ok) throw new Error(`expected the demo's first page, found ${page.status}`);
  const pageMs = performance.now() - started;
  await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  await ended;
  return { peakMiB: Number(peak) / 1024, pageMs };
}
