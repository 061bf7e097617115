/** Tests of the cluster's source: pods and their faults, the signals that are written, and a watch that is in step. */
import assert from 'node:assert/strict';
import type { Database } from '@hephaisto/core/ports/database';
import { quietDeps } from '@hephaisto/test/stage-deps';
import { eventually, startWatch } from '@hephaisto/test/watch-world';
import type { SimulatedCluster } from '../../demo/cluster/simulated-cluster.ts';
import { type RawClient, withCluster } from '../../demo/cluster/testing/raw-client.ts';

export interface SignalLine {
  readonly kind: string;
  readonly status: string;
  readonly disposition: string;
  readonly why: string | null;
  readonly owner: string;
  readonly chain: readonly string[];
}

export async function signals(db: Database, namespace: string): Promise<readonly SignalLine[]> {
  return await db.query<SignalLine>(
    `SELECT kind, status, disposition, disposition_reason AS why, owner_kind || '/' || owner_name AS owner, owner_chain AS chain
     FROM signals WHERE source = 'k8s' AND namespace = $1 ORDER BY received_at, id`,
    [namespace],
  );
}

const OWNED = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d4f8c7b9', uid: 'set-1', controller: true }];

export function pod(name: string, owners: readonly object[] = OWNED) {
  const labels = { app: 'web', ...(owners.length === 0 ? {} : { 'pod-template-hash': '5d4f8c7b9' }) };
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, labels, ownerReferences: owners },
    spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'web:1' }] },
  };
}

export function ready(restartCount = 0) {
  return {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [
      { name: 'app', ready: true, started: true, restartCount, image: 'web:1', imageID: 'x', state: { running: {} } },
    ],
  };
}

export function waiting(reason: string, restartCount: number, message = '', lastReason = 'Error') {
  return {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'False' }],
    containerStatuses: [
      {
        name: 'app',
        ready: false,
        restartCount,
        image: 'web:1',
        imageID: 'x',
        state: { waiting: { reason, message } },
        lastState: { terminated: { exitCode: lastReason === 'OOMKilled' ? 137 : 1, reason: lastReason } },
      },
    ],
  };
}

export async function create(client: RawClient, namespace: string, object: object): Promise<void> {
  await client.post('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: namespace } });
  const answer = await client.post(`/api/v1/namespaces/${namespace}/pods`, object);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
}

export async function setStatus(client: RawClient, namespace: string, name: string, status: object): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const current = await client.get(path);
  const answer = await client.put(`${path}/status`, { ...current.body, status });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

export const firing = (kind: string) => (rows: readonly SignalLine[]) =>
  rows.some((row) => row.kind === kind && row.status === 'firing');
export const resolved = (kind: string) => (rows: readonly SignalLine[]) =>
  rows.some((row) => row.kind === kind && row.status === 'resolved');

export async function watching(
  db: Database,
  use: (client: RawClient, cluster: SimulatedCluster) => Promise<void>,
  options: Parameters<typeof startWatch>[2] = {},
): Promise<void> {
  await withCluster(async (client, cluster) => {
    const source = await startWatch(cluster, quietDeps(db), options);
    try {
      await eventually(
        async () => source.health(),
        (health) => health.every((each) => each.synced || each.state === 'forbidden'),
        'every feed to be in step',
      );
      await use(client, cluster);
    } finally {
      await source.close();
    }
  });
}
