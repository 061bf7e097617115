import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { demoConfig, demoPolicy } from '../../operator/src/demo/demo-config.ts';
import { type Operator, startOperator } from '../../operator/src/main.ts';
import { alert, webhookBody } from '../src/alerts.ts';
import type { WorldPlaces } from './world-thread.ts';

export interface LoopFigures {
  readonly phase: string;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Slowest answer of `/livez`. */
  readonly livezMs: number;
}

const SPEED = 30;
const TOKEN = 'bench-token-of-32-characters-000';
const OPEN_INCIDENTS = 1_000;
const STORM = 500;
const LARGE_BODY = 10_000;
const LIVEZ_EVERY_MS = 100;
/** How long a phase is watched at least, and at most. */
const PHASE_MS = 15_000;
const LONGEST_PHASE_MS = 600_000;

/**
 * Event-loop delay and the slowest `/livez` on the embedded database, phase by phase: 1,000 incidents open, a storm of 500 ends, the API
 * server goes away, and one body brings 10,000 alerts.
 */
export async function measureFreeLoop(): Promise<readonly LoopFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hephaisto-bench-'));
  const world = new Worker(new URL('./world-thread.ts', import.meta.url), { execArgv: [] });
  const [places] = (await once(world, 'message')) as [WorldPlaces];
  const config = demoConfig({
    port: 0,
    folder,
    speed: SPEED,
    alertmanagerUrl: places.alertmanagerUrl,
    webhookToken: TOKEN,
  });
  // Far beyond what a configuration may say: as many incidents as these can only be open after days.
  const operator = await startOperator(
    { ...config, incidents: { ...config.incidents, stormLimit: OPEN_INCIDENTS + STORM, stormWindow: 600_000 } },
    { kubeconfigYaml: places.kubeconfigYaml, policyText: demoPolicy(SPEED), writeLog: () => {} },
  );
  try {
    return [
      await phase(`${OPEN_INCIDENTS} incidents open`, operator, async () => {
        await post(operator, named('open', OPEN_INCIDENTS, 'firing'));
        await until(async () => (await openIncidents(operator)) >= OPEN_INCIDENTS);
      }),
      await phase(`a storm of ${STORM} comes and ends`, operator, async () => {
        await post(operator, named('storm', STORM, 'firing'));
        await until(async () => (await openIncidents(operator)) >= OPEN_INCIDENTS + STORM);
        await post(operator, named('storm', STORM, 'resolved'));
        await until(async () => (await pending(operator)) === 0);
      }),
      await phase('the API server goes away', operator, async () => void (await world.terminate())),
      await phase(`one body of ${LARGE_BODY} alerts`, operator, async () => {
        await post(operator, named('large', LARGE_BODY, 'firing'));
        await until(async () => (await pending(operator)) === 0);
      }),
    ];
  } finally {
    await operator.close();
    await world.terminate();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function phase(name: string, operator: Operator, work: () => Promise<void>): Promise<LoopFigures> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  const stop = new AbortController();
  delay.enable();
  const slowest = slowestLivez(operator.url, stop.signal);
  try {
    await Promise.all([work(), sleep(PHASE_MS)]);
  } finally {
    stop.abort();
    delay.disable();
    await slowest;
  }
  return { phase: name, p99Ms: delay.percentile(99) / 1e6, maxMs: delay.max / 1e6, livezMs: await slowest };
}

async function slowestLivez(url: string, stop: AbortSignal): Promise<number> {
  let slowest = 0;
  while (!stop.aborted) {
    const started = performance.now();
    const answer = await fetch(`${url}/livez`);
    await answer.arrayBuffer();
    slowest = Math.max(slowest, answer.ok ? performance.now() - started : Number.POSITIVE_INFINITY);
    await sleep(LIVEZ_EVERY_MS);
  }
  return slowest;
}

function named(prefix: string, count: number, status: 'firing' | 'resolved'): Uint8Array {
  return webhookBody(
    Array.from({ length: count }, (_, i) =>
      alert({
        status,
        labels: {
          alertname: 'KubePodCrashLooping',
          namespace: `${prefix}-${i % 50}`,
          deployment: `${prefix}-${i}`,
          severity: 'warning',
        },
        annotations: { summary: 'Pod is crash looping.', description: 'Pod is in waiting state.' },
      }),
    ),
  );
}

async function post(operator: Operator, body: Uint8Array): Promise<void> {
  const answer = await fetch(`${operator.url}/webhooks/alertmanager`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
  });
  if (!answer.ok) throw new Error(`expected the body to be stored, found ${answer.status}: ${await answer.text()}`);
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + LONGEST_PHASE_MS;
  while (performance.now() < end) {
    if (await isDone()) return;
    await sleep(500);
  }
  throw new Error(`expected the phase to end within ${LONGEST_PHASE_MS} ms, found it still running`);
}

async function openIncidents(operator: Operator): Promise<number> {
  const [row] = await operator.db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM incidents WHERE NOT is_meta AND state NOT IN ('Suppressed', 'Resolved', 'Expired')`,
  );
  return row?.n ?? 0;
}

/** Bodies that are not yet written as signals, and signals that nothing has become of. */
async function pending(operator: Operator): Promise<number> {
  const [row] = await operator.db.query<{ n: number }>(
    `SELECT (SELECT count(*) FROM signals WHERE disposition = 'pending')::int
       + (SELECT count(*) FROM intake WHERE status = 'Pending')::int AS n`,
  );
  return row?.n ?? 0;
}
