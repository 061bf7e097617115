import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createIds } from '../../operator/src/adapters/ids/ids.ts';
import { at } from '../../operator/src/demo/cluster/json-at.ts';
import type { RequestRecords } from '../../operator/src/demo/cluster/request-record.ts';
import { ADMIN, startSimulatedCluster } from '../../operator/src/demo/cluster/simulated-cluster.ts';
import { startControllers } from '../../operator/src/demo/controllers/start-controllers.ts';
import { allowActing, createOperatorIdentity } from '../../operator/src/demo/identity/operator-identity.ts';
import { kubeClient } from '../../operator/src/demo/kube-client/kube-client.ts';
import { STORY_NODES, type StoryKubelet, startStoryKubelet } from '../../operator/src/demo/kubelet/story-kubelet.ts';
import { createPace, type Pace } from '../../operator/src/demo/pace.ts';
import { namespaceManifest } from '../../operator/src/demo/stories/manifests.ts';
import { kubeconfigText } from '../world/control-plane.ts';
import { openWorldFolder } from '../world/folder.ts';
import { startWorld } from '../world/world.ts';
import { type Api, type Asked, createApi } from './api.ts';
import { type Ran, type Stage, until } from './case.ts';

/** A cluster with nodes, a kubelet and the operator's account, ready for cases. */
export interface ContractWorld {
  readonly name: Stage['world'];
  readonly server: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly operatorKubeconfig: string;
  /** Of the simulated one. */
  readonly requests?: RequestRecords;
  /** Makes a namespace and gives a view of this cluster from it. */
  stage(namespace: string): Promise<Stage>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly onAsked: (asked: Asked) => void;
  /** Path of the binary; without it cases that need it fail. */
  readonly kubectl?: string;
}

/** How much faster than real ones the story kubelets live; controllers are never hurried, since the real ones cannot be. */
const KUBELET_SPEED = 5;
const ERRORS_SHOWN = 5;

interface Foundation {
  readonly name: Stage['world'];
  readonly server: string;
  readonly caPem: string;
  readonly adminToken: string;
  readonly folder: string;
  readonly compact: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly requests?: RequestRecords;
}

/** Starts the simulated cluster with its controllers, in this process. */
export async function startSimulated(options: WorldOptions): Promise<ContractWorld> {
  const pace = createPace(1);
  const cluster = await startSimulatedCluster({ now: () => pace.now(), ids: createIds({ now: () => pace.now() }) });
  const controllers = startControllers({
    store: cluster.store,
    pace,
    random: Math.random,
    rootCertificate: cluster.caPem,
    onError: (controller, key, error) => process.stderr.write(`simulated ${controller} ${key}: ${String(error)}\n`),
  });
  const folder = openWorldFolder();
  return furnish(
    {
      name: 'simulated',
      server: cluster.url,
      caPem: cluster.caPem,
      adminToken: cluster.mintToken(ADMIN),
      folder: folder.path,
      requests: cluster.requests,
      compact: async () => cluster.compact(),
      stop: async () => {
        controllers.close();
        await cluster.close();
        folder.remove();
      },
    },
    options,
  );
}

/** Starts the real control plane. Throws WorldError where it cannot be had. */
export async function startReal(options: WorldOptions, say: (line: string) => void): Promise<ContractWorld> {
  const world = await startWorld({ cluster: true, postgres: false, alerting: false }, say);
  const { controlPlane } = world;
  if (!controlPlane) throw new Error('expected a world with a cluster; this is a bug in the test world');
  return furnish(
    {
      name: 'real',
      server: controlPlane.server,
      caPem: controlPlane.caPem,
      adminToken: controlPlane.adminToken,
      folder: world.folder,
      // A watch is served from memory, which only a new start forgets.
      compact: async () => {
        await compactEtcd(controlPlane.etcdUrl);
        await controlPlane.restartApiServer();
      },
      stop: () => world.stop(),
    },
    options,
  );
}

async function furnish(base: Foundation, options: WorldOptions): Promise<ContractWorld> {
  try {
    return await furnished(base, options);
  } catch (error: unknown) {
    await base.stop();
    throw error;
  }
}

async function furnished(base: Foundation, options: WorldOptions): Promise<ContractWorld> {
  const { name, server, caPem, adminToken, folder } = base;
  const pace = createPace(KUBELET_SPEED);
  const adminKubeconfig = kubeconfigText(server, caPem, adminToken);
  const api = (token?: string, noted = true) =>
    createApi({
      server,
      caPem,
      ...(token === undefined ? {} : { token }),
      ...(noted ? { onAsked: options.onAsked } : {}),
    });
  const quiet = api(adminToken, false);
  await until(
    () => quiet.get('/api/v1/namespaces/default/serviceaccounts/default'),
    (answer) => answer.status === 200,
  );
  const operatorToken = await createOperatorIdentity(adminKubeconfig);
  const quietOperator = api(operatorToken, false);
  const kubelet = await startKubelet(adminKubeconfig, pace, name);
  const [admin, operator, anonymous, stranger] = [api(adminToken), api(operatorToken), api(), api('unknown')];
  const client = kubeClient(adminKubeconfig, 'contract');
  const kubeconfig = join(folder, 'contract-admin.kubeconfig');
  const operatorKubeconfig = join(folder, 'contract-operator.kubeconfig');
  writeFileSync(kubeconfig, adminKubeconfig, { mode: 0o600 });
  writeFileSync(operatorKubeconfig, kubeconfigText(server, caPem, operatorToken), { mode: 0o600 });
  await until(
    () => quiet.get('/api/v1/nodes'),
    (answer) => !JSON.stringify(answer.body).includes('not-ready'),
  );

  async function stage(namespace: string): Promise<Stage> {
    await quiet.post('/api/v1/namespaces', namespaceManifest(namespace));
    await until(
      () => quiet.get(`/api/v1/namespaces/${namespace}/serviceaccounts/default`),
      (answer) => answer.status === 200,
    );
    await until(
      () => quiet.get(`/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`),
      (answer) => answer.status === 200,
    );
    await allowActing(adminKubeconfig, namespace);
    // A real API server learns of new roles by watching them.
    await until(
      () => mayAct(quietOperator, namespace),
      (allowed) => allowed,
    );
    return {
      world: name,
      namespace,
      admin,
      operator,
      anonymous,
      stranger,
      client,
      operatorToken,
      pace,
      kubectl: (as, args, forMs) =>
        runKubectl(options.kubectl, as === 'admin' ? kubeconfig : operatorKubeconfig, folder, args, forMs),
      setBehaviours: (behaviours) => kubelet.setBehaviours(namespace, behaviours),
      compact: base.compact,
    };
  }

  return {
    name,
    server,
    kubeconfig,
    operatorKubeconfig,
    ...(base.requests === undefined ? {} : { requests: base.requests }),
    stage,
    close: async () => {
      await kubelet.close();
      for (const each of [quiet, quietOperator, admin, operator, anonymous, stranger]) each.close();
      client.close();
      await base.stop();
    },
  };
}

async function startKubelet(kubeconfig: string, pace: Pace, name: string): Promise<StoryKubelet> {
  let shown = 0;
  return startStoryKubelet({
    client: kubeClient(kubeconfig, 'kubelet'),
    pace,
    nodes: STORY_NODES,
    onTrouble(error) {
      shown += 1;
      if (shown <= ERRORS_SHOWN) process.stderr.write(`${name} kubelet: ${String(error)}\n`);
    },
  });
}

/** Through etcd's own JSON gateway. */
async function compactEtcd(url: string): Promise<void> {
  const ask = async (path: string, body: object) =>
    (
      await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(10_000) })
    ).json() as Promise<{
      header?: { revision?: string };
    }>;
  const state = await ask('/v3/kv/range', { key: Buffer.from('/').toString('base64') });
  await ask('/v3/kv/compaction', { revision: state.header?.revision ?? '1' });
}

async function mayAct(operator: Api, namespace: string): Promise<boolean> {
  const answer = await operator.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { namespace, verb: 'create', group: 'events.k8s.io', resource: 'events' } },
  });
  return at(answer.body, 'status', 'allowed') === true;
}

/** With nothing of the surroundings but the kubeconfig it is given. */
function runKubectl(
  binary: string | undefined,
  kubeconfig: string,
  folder: string,
  args: readonly string[],
  forMs = 60_000,
): Promise<Ran> {
  if (binary === undefined) throw new Error('expected a kubectl binary, found none; this case needs the real world');
  const all = ['--kubeconfig', kubeconfig, '--cache-dir', join(folder, 'kubectl-cache'), ...args];
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const options = { timeout: forMs, env: { HOME: folder, PATH: '', TZ: 'UTC' }, maxBuffer: 2 ** 24 };
  execFile(binary, all, options, (error, out, err) => {
    resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, out, err });
  });
  return promise;
}
