import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEPLOYMENTS, NAMESPACES, NODES, PODS } from '../../../operator/src/demo/kube-client/resource.ts';
import { namespaceManifest } from '../../../operator/src/demo/stories/manifests.ts';
import { startActor } from '../../real/harness/casting.ts';
import type { RealCluster } from '../../real/harness/cluster.ts';
import { freshDatabase } from '../../real/harness/databases.ts';
import { until } from '../../real/harness/until.ts';
import { type Child, startChild, waitReady } from '../../world/child.ts';
import { binariesFolder, CLUSTER_MODULE } from '../../world/places.ts';
import type { World } from '../../world/world.ts';
import { SERVING_FLAGS } from './serving-flags.ts';

export interface IdleFigures {
  readonly pods: number;
  readonly operator: Idle;
  readonly informer: Idle;
}

interface Idle {
  readonly residentMiB: number;
  /** Of one core. */
  readonly cpuPercent: number;
}

const NODE_COUNT = 10;
const DEPLOYMENT_COUNT = 20;
const REPLICAS = 50;
const SETTLE_MS = 15_000;
const WATCH_MS = 30_000;
const NAMESPACE = 'bench-kwok';

/** Resident memory and idle CPU of the operator, and of client-go's informers over the same kinds, with a thousand pods that KWOK plays. */
export async function measureIdle(
  world: World,
  cluster: RealCluster,
  say: (line: string) => void,
): Promise<IdleFigures> {
  const kwok = startKwok(world);
  try {
    await populate(cluster, say);
    const settings = { name: 'bench-idle', speed: 1, database: await freshDatabase(world, 'pg') };
    const actor = await startActor(world, cluster, settings, { nodeFlags: SERVING_FLAGS });
    say(`the operator watches ${DEPLOYMENT_COUNT * REPLICAS} pods`);
    const operator = await watch(actor.operator.pid).finally(() => actor.operator.stop());
    const informer = startChild({
      name: 'informer',
      command: informerBinary(say),
      args: [world.kubeconfig ?? ''],
      logFile: join(world.folder, 'informer.log'),
    });
    try {
      const synced = async () => readFileSync(informer.logFile, 'utf8').includes('synced');
      await waitReady(informer, synced, 60);
      return { pods: DEPLOYMENT_COUNT * REPLICAS, operator, informer: await watch(informer.process.pid ?? 0) };
    } finally {
      await informer.stop();
    }
  } finally {
    await kwok.stop();
  }
}

async function watch(pid: number): Promise<Idle> {
  await sleep(SETTLE_MS);
  const before = cpuSeconds(pid);
  const from = performance.now();
  await sleep(WATCH_MS);
  const seconds = (performance.now() - from) / 1000;
  const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { residentMiB: Number(resident) / 1024, cpuPercent: ((cpuSeconds(pid) - before) * 100) / seconds };
}

const TICKS_A_SECOND = 100;

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** How a node and a pod become ready, and how a node stays so, as KWOK's own module describes it. */
const STAGES = [
  'node/fast/node-initialize.yaml',
  'node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
  'pod/fast/pod-ready.yaml',
];

function startKwok(world: World): Child {
  const found = spawnSync('go', ['list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/kwok'], {
    cwd: CLUSTER_MODULE,
    encoding: 'utf8',
  });
  const stages = join(found.stdout.trim(), 'kustomize', 'stage');
  if (found.status !== 0 || !existsSync(stages))
    throw new Error(`expected KWOK's stages in ${stages}, found none: ${found.stderr.slice(-400)}`);
  return startChild({
    name: 'kwok',
    command: world.binaries?.kwok ?? '',
    args: [
      ...['--kubeconfig', world.kubeconfig ?? ''],
      ...['--manage-nodes-with-label-selector', 'type=kwok'],
      ...['--node-lease-duration-seconds', '40'],
      ...STAGES.flatMap((stage) => ['--config', join(stages, stage)]),
    ],
    logFile: join(world.folder, 'kwok.log'),
  });
}

async function populate({ client }: RealCluster, say: (line: string) => void): Promise<void> {
  for (let n = 0; n < NODE_COUNT; n += 1)
    await client.create(NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `kwok-${n}`, labels: { type: 'kwok' }, annotations: { 'kwok.x-k8s.io/node': 'fake' } },
    });
  await client.create(NAMESPACES, namespaceManifest(NAMESPACE));
  for (let n = 0; n < DEPLOYMENT_COUNT; n += 1) await client.create(DEPLOYMENTS, deployment(`app-${n}`));
  const total = DEPLOYMENT_COUNT * REPLICAS;
  let running = 0;
  await until(
    `${total} pods run`,
    async () => {
      const { items } = await client.list(PODS, NAMESPACE);
      running = items.filter(({ status }) => status?.phase === 'Running').length;
      return running === total;
    },
    240,
    2_000,
  );
  say(`${running} pods run`);
}

function deployment(name: string) {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { nodeSelector: { type: 'kwok' }, containers: [{ name: 'app', image: `${name}:1.0` }] },
      },
    },
  };
}

/** Built once for each content; cheap beside the control plane, of which it shares the sources. Throws with the compiler's complaint. */
function informerBinary(say: (line: string) => void): string {
  const source = readFileSync(join(CLUSTER_MODULE, 'informer', 'main.go'));
  const path = join(
    dirname(binariesFolder()),
    `informer-${createHash('sha256').update(source).digest('hex').slice(0, 12)}`,
  );
  if (existsSync(path)) return path;
  say('building the informer');
  mkdirSync(dirname(path), { recursive: true });
  const result = spawnSync('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', path, './informer'], {
    cwd: CLUSTER_MODULE,
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' },
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(`expected the informer to be built, found: ${result.stderr.slice(-800)}`);
  return path;
}
