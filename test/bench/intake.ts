import { randomUUID } from 'node:crypto';
import type { Database } from '@hephaisto/core/ports/database';
import { NO_FAULTS } from '@hephaisto/core/ports/fault-points';
import { systemTimers } from '../../operator/src/adapters/clock/clock.ts';
import { receiveAlertmanager } from '../../operator/src/sources/receive-alertmanager.ts';
import { createTestDatabase } from '../src/database.ts';

export interface IntakeFigures {
  readonly database: string;
  readonly bodiesPerSecond: number;
  readonly barePerSecond: number;
  readonly ratio: number;
}

const BODIES = 600;
const CONCURRENCY = 8;
const ROUNDS = 9;
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const NO_METRICS = { count() {}, observe() {}, gauge() {} };

/**
 * Webhook bodies stored a second against one bare insert and commit a body: the same bodies, pool and concurrency, on the same database,
 * in alternating rounds; the ratio is the median of those of two rounds one after the other, since a shared machine grows faster and slower.
 */
export async function measureIntake(): Promise<IntakeFigures> {
  await using db = await createTestDatabase();
  await db.execute('CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL)');
  const bodies = Array.from({ length: BODIES }, body);
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await rate(bodies, (bytes) => store(db, bytes)));
    bare.push(await rate(bodies, (bytes) => insert(db, bytes)));
  }
  const ratio = median(ours.map((each, round) => each / (bare[round] ?? Number.NaN)));
  const bodiesPerSecond = median(ours);
  const barePerSecond = median(bare);
  return { database: db.kind, bodiesPerSecond, barePerSecond, ratio };
}

async function store(db: Database, body: Uint8Array): Promise<void> {
  const deps = { db, timers: systemTimers, log: QUIET, metrics: NO_METRICS, random: () => 0, faults: NO_FAULTS };
  const received = await receiveAlertmanager(deps, { body, sender: 'bench', maxBytes: 1 << 24 });
  if (received.kind !== 'stored') throw new Error(`expected a body to be stored, found ${JSON.stringify(received)}`);
}

async function insert(db: Database, body: Uint8Array): Promise<void> {
  await db.query('INSERT INTO bare (body) VALUES ($1)', [new TextDecoder().decode(body)]);
}

async function rate(bodies: readonly Uint8Array[], take: (body: Uint8Array) => Promise<void>): Promise<number> {
  const queue = [...bodies];
  const started = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) await take(next);
    }),
  );
  return (bodies.length * 1000) / (performance.now() - started);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** A notification of one group with two alerts, as Alertmanager sends it. */
function body(): Uint8Array {
  const alert = (pod: string) => ({
    status: 'firing',
    labels: { alertname: 'KubePodCrashLooping', namespace: 'shop', pod, container: 'app', severity: 'warning' },
    annotations: { summary: 'Pod is crash looping.', description: `Pod shop/${pod} is in waiting state.` },
    startsAt: '2026-01-01T00:00:00Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus/graph',
    fingerprint: randomUUID().slice(0, 16).replaceAll('-', '0'),
  });
  return new TextEncoder().encode(
    JSON.stringify({
      version: '4',
      groupKey: '{}:{alertname="KubePodCrashLooping"}',
      truncatedAlerts: 0,
      status: 'firing',
      receiver: 'hephaisto',
      groupLabels: { alertname: 'KubePodCrashLooping' },
      commonLabels: {},
      commonAnnotations: {},
      externalURL: 'http://alertmanager',
      alerts: [alert(`checkout-${randomUUID()}`), alert(`checkout-${randomUUID()}`)],
    }),
  );
}
