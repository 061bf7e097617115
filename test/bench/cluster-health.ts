import type { AnyActionRequest } from '@hephaisto/core/action/types';
import { projectPod } from '@hephaisto/core/facts/project-pod';
import { watchPod } from '@hephaisto/core/signal/watched';
import { makeWorld } from '../../operator/src/act/testing/world.ts';
import { createHealthTally } from '../../operator/src/sources/cluster/health-tally.ts';
import { createTestDatabase } from '../src/database.ts';
import { drain } from '../src/stage-deps.ts';
import { median } from './intake.ts';

const PODS = 50_000;
const PROPOSALS = 200;
const PASSES = 10;

export interface ClusterHealthFigures {
  readonly pods: number;
  readonly proposals: number;
  /** Lists of the whole cluster while all proposals are evaluated, from their making on. */
  readonly clusterLists: number;
  /** Lists of any kind in passes in which nothing moved. */
  readonly idleLists: number;
  readonly passMs: number;
  /** Counting the cluster after one pod changed. */
  readonly countMs: number;
}

/** What a large cluster with many open proposals costs while nothing moves. */
export async function measureClusterHealth(): Promise<ClusterHealthFigures> {
  await using db = await createTestDatabase();
  const w = await makeWorld(db, { mode: 'approve', settings: { recheckMs: 0 } });
  const tally = createHealthTally();
  for (let n = 0; n < PODS; n += 1) {
    const pod = podNumber(n);
    w.cluster.put('pods', 'load', `load-${n}`, pod);
    tally.pod(watchPod(projectPod(pod)));
  }
  const template = w.cluster.objects.get('deployments/shop/checkout');
  if (template === undefined) throw new Error('expected the deployment of the test cluster, found none');
  for (let n = 0; n < PROPOSALS; n += 1) {
    const name = `app-${n}`;
    w.cluster.put('deployments', 'shop', name, {
      ...template,
      metadata: { ...(template.metadata as object), name, uid: name },
    });
    await w.propose(patch(name));
  }
  const { admit } = w.stages();
  await drain(admit);
  const [row] = await db.query<{ open: number }>(`SELECT count(*)::int AS open FROM proposals WHERE state = 'Open'`);
  if (row?.open !== PROPOSALS) throw new Error(`expected ${PROPOSALS} open proposals, found ${row?.open}`);
  const clusterLists = w.cluster.lists.filter((list) => list === 'pods ' || list === 'nodes').length;
  w.cluster.lists.length = 0;
  const passes: number[] = [];
  for (let n = 0; n < PASSES; n += 1) {
    const started = performance.now();
    await admit.pass(new AbortController().signal);
    passes.push(performance.now() - started);
  }
  const started = performance.now();
  tally.pod(watchPod(projectPod(podNumber(7))));
  tally.counts();
  const countMs = performance.now() - started;
  return {
    pods: PODS,
    proposals: PROPOSALS,
    clusterLists,
    idleLists: w.cluster.lists.length,
    passMs: median(passes),
    countMs,
  };
}

function patch(name: string): AnyActionRequest {
  const workload = { kind: 'Deployment', namespace: 'shop', name };
  return {
    type: 'PatchResources',
    workload,
    target: { ...workload, uid: name },
    params: { container: 'app', memoryLimitBytes: 256 * 2 ** 20 },
  };
}

function podNumber(n: number): Record<string, unknown> {
  return {
    metadata: {
      namespace: 'load',
      name: `load-${n}`,
      uid: `load-${n}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `set-${n % 500}`, uid: `set-${n % 500}`, controller: true },
      ],
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: n % 50 === 0 ? 'False' : 'True' }] },
  };
}
