import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowActing, createOperatorIdentity } from '../../../operator/src/demo/identity/operator-identity.ts';
import { type KubeClient, kubeClient } from '../../../operator/src/demo/kube-client/kube-client.ts';
import { NODES, SERVICE_ACCOUNTS } from '../../../operator/src/demo/kube-client/resource.ts';
import { STORY_NODES, type StoryKubelet, startStoryKubelet } from '../../../operator/src/demo/kubelet/story-kubelet.ts';
import { createPace } from '../../../operator/src/demo/pace.ts';
import { kubeconfigText } from '../../world/control-plane.ts';
import type { World } from '../../world/world.ts';
import { until } from './until.ts';

/** The world's control plane with nodes, a kubelet and the operator's account. */
export interface RealCluster {
  readonly adminKubeconfig: string;
  /** As the people who change things. */
  readonly client: KubeClient;
  readonly kubelet: StoryKubelet;
  /** The operator's own, through the proxy; the path of a file. */
  readonly operatorKubeconfig: string;
  readonly auditLog: string;
  /** Lets the operator act in a namespace that exists, and waits until the API server knows and pods can be made there. */
  allowActing(namespace: string): Promise<void>;
  close(): Promise<void>;
}

/** The kubelet's pace; a namespace may have one of its own. */
export const WORLD_SPEED = 10;

/** Furnishes a world. Once a world: the nodes have one kubelet. */
export async function furnishCluster(world: World): Promise<RealCluster> {
  const { controlPlane, proxy, proxyCaPem, kubeconfig } = world;
  if (!controlPlane || !proxy || !proxyCaPem || !kubeconfig)
    throw new Error('expected a world with a cluster; this is a bug in the test runner');
  const adminKubeconfig = readFileSync(kubeconfig, 'utf8');
  const client = kubeClient(adminKubeconfig, 'people');
  const kubeletClient = kubeClient(adminKubeconfig, 'kubelet');
  const token = await createOperatorIdentity(adminKubeconfig);
  const operatorKubeconfig = join(world.folder, 'operator.kubeconfig');
  writeFileSync(operatorKubeconfig, kubeconfigText(proxy.server, proxyCaPem, token), { mode: 0o600 });
  const kubelet = await startStoryKubelet({ client: kubeletClient, pace: createPace(WORLD_SPEED), nodes: STORY_NODES });
  await until('the nodes take pods', async () => {
    const { items } = await client.list(NODES);
    const taints = items.flatMap(({ spec }) => spec?.taints ?? []);
    return items.length === STORY_NODES.length && taints.length === 0;
  });
  return {
    adminKubeconfig,
    client,
    kubelet,
    operatorKubeconfig,
    auditLog: controlPlane.auditLog,
    async allowActing(namespace) {
      await until(`${namespace} has its default account`, () =>
        client.get(SERVICE_ACCOUNTS, namespace, 'default').then(
          () => true,
          () => false,
        ),
      );
      await allowActing(adminKubeconfig, namespace);
    },
    async close() {
      await kubelet.close();
      client.close();
      kubeletClient.close();
    },
  };
}
