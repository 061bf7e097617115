import type { Config } from '@hephaisto/core/config/schema';
import type { RequireEpoch } from '@hephaisto/core/ports/leases';
import type { KubeConnection } from '../adapters/kube/connection.ts';
import { createListWatch } from '../adapters/kube/list-watch.ts';
import type { UnderLease } from '../flow/4-investigate/stage.ts';
import type { StageDeps } from '../flow/stage.ts';
import { type ClusterSource, startClusterSource } from '../sources/cluster/cluster-source.ts';
import { sha256Hex } from '../sources/sha256.ts';
import { createAsLeader } from './held-lease.ts';

const BACKOFF = { firstMs: 500, longestMs: 30_000, minimumLifeMs: 5_000 };

/**
 * Watches the cluster on the replica that leads; every other one stands by. Where the configuration switches the watch off, pods and nodes are counted all
 * the same: without their count no action is allowed.
 */
export function startWatch(
  deps: StageDeps,
  parts: {
    readonly config: Config['ingest'];
    readonly cluster: string;
    readonly connection: KubeConnection;
    readonly requireEpoch: RequireEpoch;
    readonly underLease: UnderLease;
    readonly random: () => number;
  },
): ClusterSource {
  const { config, cluster, connection } = parts;
  const { watch } = config;
  const feeds = createListWatch({
    connection,
    clock: deps.clock,
    timers: deps.timers,
    log: deps.log,
    random: parts.random,
    pageSize: watch.pageSize,
    idleMs: watch.idle,
    backoff: BACKOFF,
  });
  const asLeader = createAsLeader(parts.underLease, { kind: 'leader', key: `watch/${cluster}` }, cluster);
  return startClusterSource(
    { ...deps, sha256: sha256Hex, feeds, requireEpoch: parts.requireEpoch, asLeader },
    { ...watch, findsFaults: watch.enabled, cluster, ownNamespaces: config.ownNamespaces, holds: watch },
  );
}
