/** A simulated cluster, a database, and the watch between them. */

import type { Timers } from '@hephaisto/core/ports/clock';
import { openKubeConnection } from '@hephaisto/operator/adapters/kube/connection';
import { createListWatch } from '@hephaisto/operator/adapters/kube/list-watch';
import { createLeases, requireEpoch } from '@hephaisto/operator/adapters/postgres/leases';
import { withLease } from '@hephaisto/operator/adapters/postgres/with-lease';
import { ADMIN, type SimulatedCluster } from '@hephaisto/operator/demo/cluster/simulated-cluster';
import {
  type ClusterSource,
  type ClusterSourceConfig,
  startClusterSource,
} from '@hephaisto/operator/sources/cluster/cluster-source';
import { sha256Hex } from '@hephaisto/operator/sources/sha256';
import { type QuietDeps, TEST_CLUSTER } from './stage-deps.ts';

export const WATCH_TIMES: ClusterSourceConfig = {
  cluster: TEST_CLUSTER,
  findsFaults: true,
  namespaces: [],
  ignoreNamespaces: ['kube-system'],
  ownNamespaces: ['hephaisto'],
  holds: {
    firstCrash: 400,
    rolloutCrash: 400,
    imagePull: 400,
    unschedulable: 400,
    config: 50,
    notReady: 400,
    notReadyAlone: 5_000,
    replicas: 5_000,
    node: 100,
    cordonedNode: 60_000,
  },
  heal: 300,
  repeat: 60_000,
  repeatChanged: 200,
  warning: 300,
  oldWarning: 60_000,
  sampleEvery: 60_000,
};

export interface WatchOptions {
  readonly token?: Parameters<SimulatedCluster['kubeconfigFor']>[0];
  readonly config?: Partial<ClusterSourceConfig>;
  readonly idleMs?: number;
  /** The timers of the source; its lease and its feeds keep those of the system. */
  readonly timers?: Timers;
}

/** Starts the watch as a replica would. Close it before the database. */
export async function startWatch(
  cluster: SimulatedCluster,
  deps: QuietDeps,
  options: WatchOptions = {},
): Promise<ClusterSource> {
  const connection = await openKubeConnection({
    kubeconfigYaml: cluster.kubeconfigFor(options.token ?? ADMIN),
    defaultTimeoutMs: 5_000,
    log: deps.log,
  });
  const leases = createLeases(deps.db);
  const source = startClusterSource(
    {
      ...deps,
      timers: options.timers ?? deps.timers,
      sha256: sha256Hex,
      requireEpoch,
      feeds: createListWatch({
        connection,
        clock: deps.clock,
        timers: deps.timers,
        log: deps.log,
        random: () => 0.5,
        pageSize: 50,
        idleMs: options.idleMs ?? 5_000,
        backoff: { firstMs: 20, longestMs: 500, minimumLifeMs: 200 },
      }),
      asLeader: async (work, signal) => {
        const run = await withLease(
          {
            leases,
            timers: deps.timers,
            log: deps.log,
            subject: { kind: 'leader', key: `watch:${TEST_CLUSTER}` },
            runId: deps.ids.uuid(),
            holder: { pod: 'test', bootId: 'test' },
            ttlMs: 2_000,
            renewEveryMs: 500,
            signal,
          },
          work,
        );
        return run.kind;
      },
    },
    { ...WATCH_TIMES, ...options.config },
  );
  return {
    health: source.health,
    async close() {
      await source.close();
      connection.close();
    },
  };
}

/** Asks until the answer satisfies, at most five seconds. */
export async function eventually<Answer>(
  ask: () => Promise<Answer>,
  satisfies: (answer: Answer) => boolean,
  what: string,
): Promise<Answer> {
  const end = Date.now() + 5_000;
  for (;;) {
    const answer = await ask();
    if (satisfies(answer)) return answer;
    if (Date.now() > end) throw new Error(`expected ${what} within 5 s, found ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
