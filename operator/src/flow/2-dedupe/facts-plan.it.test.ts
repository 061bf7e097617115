import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { Database, Sql } from '@hephaisto/core/ports/database';
import { DATABASES } from '@hephaisto/test/database';
import { z } from 'zod';
import { gatherFacts } from './gather.ts';
import type { SignalRow } from './pending-rows.ts';

const OPEN = 1_000;
const OVER = 500;
const ASKED = 50;
/** Rows that a signal's facts may read: those of its namespace and key, never all incidents. */
const READ_PER_SIGNAL = 60;

const WINDOWS = {
  burst: 600_000,
  correlation: 600_000,
  recurrence: 600_000,
  stormWindow: 600_000,
  stormLimit: 50,
  stormCriticalReserve: 10,
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Node {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number | undefined;
  readonly 'Relation Name'?: string | undefined;
  readonly Plans?: readonly Node[] | undefined;
}
const Node: z.ZodType<Node> = z.lazy(() =>
  z.object({
    'Node Type': z.string(),
    'Actual Rows': z.number(),
    'Actual Loops': z.number(),
    'Rows Removed by Filter': z.number().optional(),
    'Relation Name': z.string().optional(),
    Plans: z.array(Node).optional(),
  }),
);
const Explained = z.array(z.object({ 'QUERY PLAN': z.array(z.object({ Plan: Node })) }));

function incidentsRead(node: Node): number {
  const own =
    node['Relation Name'] === 'incidents'
      ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
      : 0;
  return (node.Plans ?? []).reduce((sum, each) => sum + incidentsRead(each), own);
}

async function addIncidents(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    // As a replica takes rows: the events that the triggers ask for say nothing about how incidents are found.
    await tx.execute(`SET LOCAL session_replication_role = 'replica'`);
    await tx.query(
      `INSERT INTO incidents (id, cluster, fingerprint, correlation_key, kind, title, severity, namespace, owner_kind, owner_name,
         owner_chain, state, escalation_reason, resolution_source, state_since, first_signal_at, last_signal_at, closed_at)
       SELECT gen_random_uuid(), 'c', encode(sha256(convert_to('fault-' || n, 'UTF8')), 'hex'), 'key-' || n, 'CrashLoopBackOff',
         'title', 'warning', 'shop-' || n % 50, 'Deployment', 'web-' || n, ARRAY['Deployment/web-' || n],
         CASE WHEN n <= $1 THEN 'Escalated' ELSE 'Resolved' END, CASE WHEN n <= $1 THEN 'NoPlan' END,
         CASE WHEN n > $1 THEN 'quiet' END, app_now(), app_now(), app_now(), CASE WHEN n > $1 THEN app_now() END
       FROM generate_series(1, $2) AS n`,
      [OPEN, OPEN + OVER],
    );
  });
}

function signal(n: number): SignalRow {
  return {
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    cluster: 'c',
    traceparent: null,
    kind: 'CrashLoopBackOff',
    severity: 'warning',
    reason: 'CrashLoopBackOff',
    namespace: `shop-${n % 50}`,
    owner_kind: 'Deployment',
    owner_name: `api-${n}`,
    owner_chain: [`Deployment/api-${n}`],
    pod_name: null,
    node_name: 'node-1',
    fingerprint: sha256(`new-${n}`),
    correlation_key: `new-${n}`,
    status: 'firing',
    is_self: false,
    received_at: new Date(0),
    last_seen_at: new Date(0),
  };
}

/** Explains each statement before it is asked. */
function explaining(db: Database, read: (rows: number) => void): Sql {
  return {
    execute: (statement, values) => db.execute(statement, values),
    query: async (statement, values) => {
      const explained = Explained.parse(await db.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`, values));
      read(incidentsRead((explained[0]?.['QUERY PLAN'][0] ?? assert.fail()).Plan));
      return db.query(statement, values);
    },
  };
}

for (const { name, open } of DATABASES)
  for (const analysed of [false, true])
    test(`the facts of a signal are read without going through all incidents, on ${name} ${analysed ? 'with' : 'without'} statistics`, async () => {
      await using db = await open();
      await addIncidents(db);
      if (analysed) await db.execute('ANALYZE incidents');
      let read = 0;
      await gatherFacts(
        explaining(db, (rows) => {
          read += rows;
        }),
        Array.from({ length: ASKED }, (_, n) => signal(n)),
        WINDOWS,
        sha256,
      );
      const allowed = ASKED * READ_PER_SIGNAL;
      assert.ok(read > 0 && read <= allowed, `expected at most ${allowed} incidents to be read, found ${read}`);
    });
