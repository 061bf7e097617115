/** What a stage needs, for tests: a real database, and everything around it quiet and countable. */

import { randomUUID } from 'node:crypto';
import type { Route } from '@hephaisto/core/delivery/route';
import type { Database } from '@hephaisto/core/ports/database';
import { NO_FAULTS } from '@hephaisto/core/ports/fault-points';
import { UNTRACED } from '@hephaisto/core/ports/telemetry';
import { systemClock, systemTimers } from '@hephaisto/operator/adapters/clock/clock';
import { createIncidentLog } from '@hephaisto/operator/flow/incident-log/incident-log';
import type { Stage, StageDeps } from '@hephaisto/operator/flow/stage';

/** The cluster that tests speak of; `addLocalCluster` makes its row. */
export const TEST_CLUSTER = '7b0c2f4e-0000-4000-8000-00000000c1a5';

export interface QuietDeps extends StageDeps {
  /** Every count, by name and labels as JSON. */
  readonly counted: ReadonlyMap<string, number>;
  /** Messages at warn and error. */
  readonly complaints: readonly string[];
}

export function quietDeps(db: Database, routes: readonly Route[] = []): QuietDeps {
  const counted = new Map<string, number>();
  const complaints: string[] = [];
  const ids = { uuid: () => randomUUID(), token: () => randomUUID().replaceAll('-', '') };
  return {
    db,
    clock: systemClock,
    timers: systemTimers,
    ids,
    log: {
      debug: () => undefined,
      info: () => undefined,
      warn: (message, fields) => complaints.push(`${message} ${describe(fields)}`),
      error: (message, fields) => complaints.push(`${message} ${describe(fields)}`),
    },
    metrics: {
      count: (name, labels, amount) => {
        const key = `${name} ${JSON.stringify(labels ?? {})}`;
        counted.set(key, (counted.get(key) ?? 0) + (amount ?? 1));
      },
      observe: () => undefined,
      gauge: () => undefined,
    },
    tracer: UNTRACED,
    faults: NO_FAULTS,
    incidents: createIncidentLog({ ids, routes }),
    holder: { pod: 'test', bootId: 'test' },
    isAlive: () => true,
    counted,
    complaints,
  };
}

function describe(fields: Readonly<Record<string, unknown>> | undefined): string {
  const { error, ...rest } = fields ?? {};
  return `${String(error ?? '')} ${JSON.stringify(rest)}`.trim();
}

export async function addLocalCluster(db: Database, id: string = TEST_CLUSTER): Promise<void> {
  await db.execute(
    `INSERT INTO clusters (id, is_local, display_name, aliases) VALUES ($1, true, 'local', '{prod}') ON CONFLICT DO NOTHING`,
    [id],
  );
}

/** Runs the stages, in the order given, until none of them moves anything. */
export async function drain(...stages: readonly Stage[]): Promise<void> {
  const signal = new AbortController().signal;
  for (let round = 0; round < 2_000; round += 1) {
    let moved = 0;
    for (const stage of stages) moved += await stage.pass(signal);
    if (moved === 0) return;
  }
  throw new Error('expected the stages to come to rest, found them moving after 2000 rounds');
}
