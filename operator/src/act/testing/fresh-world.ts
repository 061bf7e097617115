import { after, before } from 'node:test';
import { createTestDatabase, type TestDatabase } from '@hephaisto/test/database';
import { drain } from '@hephaisto/test/stage-deps';
import { type Decided, decideProposal } from '../../commands/proposal-decide.ts';
import type { FakeCluster } from './fake-cluster.ts';
import { makeWorld, testPolicy, type World } from './world.ts';

/** The waits between checks shortened to almost nothing. */
export const FAST = testPolicy({ verification: { times: ['1ms', '2ms', '3ms'] } });

export interface Worlds {
  readonly db: TestDatabase;
  world(options?: Parameters<typeof makeWorld>[1]): Promise<World>;
}

/** One database for a suite. Each world starts on rows of its own; what all share (workload, budgets, switches) is wiped before. */
export function worlds(): Worlds {
  let db: TestDatabase | undefined;
  before(async () => {
    db = await createTestDatabase();
  });
  after(() => db?.close());
  const opened = (): TestDatabase => {
    if (db === undefined) throw new Error('expected to be used inside a test');
    return db;
  };
  return {
    get db() {
      return opened();
    },
    async world(options = {}) {
      await opened().execute(
        'UPDATE workloads SET cooldown_until = NULL, cooldown_action_id = NULL, quarantined_until = NULL',
      );
      await opened().execute('DELETE FROM budget_entries');
      await opened().execute('DELETE FROM switches');
      return await makeWorld(opened(), { policy: FAST, ...options });
    },
  };
}

/** Lets everything happen that is due, checks and undo included. */
export async function run({ stages }: World): Promise<void> {
  const { admit, act, verify } = stages();
  for (let round = 0; round < 6; round += 1) {
    await drain(admit, act);
    await untilChecksAreDue();
    await drain(verify, act);
  }
}

export async function untilChecksAreDue(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5));
}

export async function approve(w: World, actionId: string, actor = 'person:ada'): Promise<Decided> {
  return await approveShown(w, await w.openProposal(actionId), actor);
}

export async function approveShown(
  w: World,
  shown: { readonly id: string; readonly digest: string },
  actor = 'person:ada',
): Promise<Decided> {
  return await decideProposal(w.deps, {
    proposalId: shown.id,
    decision: 'approve',
    digest: shown.digest,
    actor,
    source: 'api',
  });
}

/** From now on every change leaves the workload without a ready pod. */
export function neverHeals(cluster: FakeCluster): void {
  cluster.react = (object) => {
    cluster.settle(object);
    (object.status as Record<string, unknown>).readyReplicas = 0;
  };
}
