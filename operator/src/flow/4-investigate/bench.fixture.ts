import { crashed, pod, replicaSet, type World } from '@hephaisto/core/diagnose/case.fixture';
import type { Clock, Timers } from '@hephaisto/core/ports/clock';
import type { Database } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import { NO_FAULTS } from '@hephaisto/core/ports/fault-points';
import type { Investigator } from '@hephaisto/core/ports/investigator';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { insertIncident, moveIncidentTo } from '@hephaisto/test/incident-rows';
import { type QuietDeps, quietDeps } from '@hephaisto/test/stage-deps';
import { systemTimers } from '../../adapters/clock/clock.ts';
import { createLeases, requireEpoch } from '../../adapters/postgres/leases.ts';
import { createDiagnostician } from '../../investigate/diagnostician.ts';
import { type MemoryReader, memoryReader } from '../../investigate/memory-reader.fixture.ts';
import { TOOLBOX } from '../../investigate/toolbox.ts';
import type { Stage } from '../stage.ts';
import type { ReopenDeps } from './reopen.ts';
import type { InvestigateConfig } from './run.ts';
import { createInvestigateStage, type UnderLease } from './stage.ts';

export const CONFIG: InvestigateConfig = {
  budgetSteps: 25,
  deadlineMs: 60_000,
  callTimeoutMs: 5_000,
  deniedNamespaces: ['coder'],
  concurrency: 4,
};

const LEASE_MS = 15_000;

/** A lease that nobody renews: long enough for a test, and gone when the clock is moved past it. */
export function underLease(db: Database, deps: QuietDeps): UnderLease {
  const leases = createLeases(db);
  return async ({ subject, cluster, signal }, work) => {
    const grant = await leases.acquire(subject, {
      runId: deps.ids.uuid(),
      holder: { pod: 'test', bootId: 'test' },
      ttlMs: LEASE_MS,
      cluster,
    });
    if (grant.kind === 'busy') return { kind: 'busy' };
    try {
      return { kind: 'done', value: await work(grant.lease, signal) };
    } finally {
      await leases.release(grant.lease);
    }
  };
}

export interface Bench {
  readonly db: TestDatabase;
  readonly deps: QuietDeps;
  readonly reader: MemoryReader;
  replica(options?: {
    readonly db?: Database;
    readonly faults?: FaultPoints;
    readonly investigator?: Investigator;
    readonly config?: Partial<InvestigateConfig>;
    readonly reader?: MemoryReader;
    readonly underLease?: UnderLease;
    readonly clock?: Clock;
    readonly reopen?: ReopenDeps;
    readonly holder?: Readonly<Record<string, string>>;
  }): Stage;
  incident(owner?: string): Promise<string>;
}

/** A database, a world to read, and as many replicas of the stage as a test wants. */
export async function bench(world: World, use: (bench: Bench) => Promise<void>): Promise<void> {
  await using db = await createTestDatabase();
  const deps = quietDeps(db);
  const reader = memoryReader(world);
  await use({
    db,
    deps,
    reader,
    replica(options = {}) {
      const own = options.db ?? db;
      return createInvestigateStage(
        {
          ...deps,
          clock: options.clock ?? deps.clock,
          db: own,
          holder: options.holder ?? deps.holder,
          isAlive: () => options.holder === undefined,
          faults: options.faults ?? NO_FAULTS,
          requireEpoch,
          underLease: options.underLease ?? underLease(own, deps),
          investigator: options.investigator ?? createDiagnostician(),
          tools: TOOLBOX,
          readerOf: () => options.reader ?? reader,
          ...(options.reopen === undefined ? {} : { reopen: options.reopen }),
        },
        { ...CONFIG, ...options.config },
      );
    },
    async incident(owner = 'app') {
      const id = await insertIncident(db, { owner, title: `${owner} crashes` });
      await moveIncidentTo(db, id, 'Investigating');
      return id;
    },
  });
}

/** A replica that can be killed: from then on nothing it started goes on, as if the process were gone. */
export function mortal(db: Database): {
  readonly db: Database;
  readonly timers: Timers;
  kill(): void;
  readonly dead: () => boolean;
} {
  let dead = false;
  const cancels: (() => void)[] = [];
  const never = new Promise<never>(() => undefined);
  const gate = async <T>(work: () => Promise<T>): Promise<T> => {
    if (dead) return never;
    const value = await work();
    return dead ? never : value;
  };
  return {
    dead: () => dead,
    kill: () => {
      dead = true;
      for (const cancel of cancels.splice(0)) cancel();
    },
    timers: {
      ...systemTimers,
      after: (milliseconds, callback) => {
        const cancel = systemTimers.after(milliseconds, callback);
        cancels.push(cancel);
        return cancel;
      },
    },
    db: {
      kind: db.kind,
      query: (text, values) => gate(() => db.query(text, values)),
      execute: (text, values) => gate(() => db.execute(text, values)),
      transaction: (work, options) => gate(() => db.transaction(work, options)),
      listen: (channel, onNotify) => db.listen(channel, onNotify),
      close: () => Promise.resolve(),
    },
  };
}

/** A bad rollout: revision 2 crashes for a value that its log names, beside a secret that must not be kept. */
export const TWO_REVISIONS: World = {
  pods: [pod('old-1'), pod('new-1', { revision: 2, ready: false, status: crashed() })],
  replicaSets: [
    replicaSet(1, { env: [{ name: 'URL', value: 'db:5432' }] }, { ready: 1 }),
    replicaSet(2, { env: [{ name: 'URL', value: 'db:54e2' }] }),
  ],
  logs: { 'new-1': 'error invalid URL: cannot parse "db:54e2"\nAPI_TOKEN=abc123canary\nfatal exiting' },
};

export interface InvestigationRow {
  readonly id: string;
  readonly attempt: number;
  readonly cause: string;
  readonly state: string;
  readonly steps_used: number;
  readonly end_reason: string;
}
