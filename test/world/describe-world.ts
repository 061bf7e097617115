import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOperatorIdentity } from '../../operator/src/demo/identity/operator-identity.ts';
import { kubeconfigText } from './control-plane.ts';
import type { World } from './world.ts';

/** What `world up` prints: where everything is. Paths of files, or URLs. */
export interface WorldState {
  readonly kubeconfig: string;
  readonly operatorKubeconfig: string;
  readonly auditLog: string;
  readonly alertmanager: string;
  readonly prometheus: string;
  readonly databaseUrl: string;
  readonly proxy: string;
  readonly proxyControl: string;
}

/** Makes the operator's identity and writes its kubeconfig, which goes through the proxy. The world must have all parts. */
export async function describeWorld(world: World): Promise<WorldState> {
  const { controlPlane, proxy, proxyCaPem, postgres, alertmanager, prometheus, kubeconfig } = world;
  if (!controlPlane || !proxy || !proxyCaPem || !postgres || !alertmanager || !prometheus || !kubeconfig) {
    throw new Error('expected a world with every part; this is a bug in the test world');
  }
  const token = await createOperatorIdentity(readFileSync(kubeconfig, 'utf8'));
  const operatorKubeconfig = join(world.folder, 'operator.kubeconfig');
  writeFileSync(operatorKubeconfig, kubeconfigText(proxy.server, proxyCaPem, token), { mode: 0o600 });
  return {
    kubeconfig,
    operatorKubeconfig,
    auditLog: controlPlane.auditLog,
    alertmanager: alertmanager.url,
    prometheus: prometheus.url,
    databaseUrl: postgres.testUrl,
    proxy: proxy.server,
    proxyControl: proxy.control,
  };
}
