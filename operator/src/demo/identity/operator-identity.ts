import { type OperatorIdentity, rbacManifests } from '@hephaisto/core/action/rbac';
import { ACTION_TYPES } from '@hephaisto/core/action/types';
import type { KubeObject } from '../cluster/object.ts';
import { httpsTransport } from '../kube-client/https-transport.ts';
import { kubeClient } from '../kube-client/kube-client.ts';
import { isKubeCode } from '../kube-client/kube-error.ts';
import { clusterAccess } from '../kube-client/kubeconfig.ts';
import { CONFIG_MAPS, NAMESPACES, resourceOf, SERVICE_ACCOUNTS } from '../kube-client/resource.ts';

/** The operator's own place in a demo or test cluster. */
export const OPERATOR: OperatorIdentity = {
  namespace: 'hephaisto',
  serviceAccount: 'hephaisto',
  configMap: 'hephaisto-switches',
};

const USER_AGENT = 'hephaisto-demo';
const TOKEN_SECONDS = 3600 * 12;

/**
 * Makes the operator's namespace, account, switches (mode approve) and read rights, with the administrator's kubeconfig given as text.
 * What exists already is left as it is. Resolves to a bearer token of the account, good for twelve hours. Throws KubeApiError.
 */
export async function createOperatorIdentity(adminKubeconfig: string): Promise<string> {
  const { namespace, serviceAccount, configMap } = OPERATOR;
  await apply(adminKubeconfig, [
    { apiVersion: 'v1', kind: NAMESPACES.kind, metadata: { name: namespace } },
    { apiVersion: 'v1', kind: SERVICE_ACCOUNTS.kind, metadata: { name: serviceAccount, namespace } },
    { apiVersion: 'v1', kind: CONFIG_MAPS.kind, metadata: { name: configMap, namespace }, data: { mode: 'approve' } },
    ...(rbacManifests(OPERATOR, []) as readonly KubeObject[]),
  ]);
  return requestToken(adminKubeconfig, TOKEN_SECONDS);
}

/** Gives the operator the write Role of every action kind in one namespace, which must exist. */
export async function allowActing(adminKubeconfig: string, namespace: string): Promise<void> {
  const manifests = rbacManifests(OPERATOR, [{ namespace, kinds: ACTION_TYPES }]) as readonly KubeObject[];
  await apply(
    adminKubeconfig,
    manifests.filter((manifest) => manifest.metadata.namespace === namespace),
  );
}

/** A bearer token of the operator's account by TokenRequest. */
export async function requestToken(adminKubeconfig: string, seconds: number): Promise<string> {
  const transport = httpsTransport(clusterAccess(adminKubeconfig), USER_AGENT);
  try {
    const answer = await transport.text({
      method: 'POST',
      path: `/api/v1/namespaces/${OPERATOR.namespace}/serviceaccounts/${OPERATOR.serviceAccount}/token`,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: seconds } },
    });
    return (JSON.parse(answer) as { status: { token: string } }).status.token;
  } finally {
    transport.close();
  }
}

async function apply(adminKubeconfig: string, manifests: readonly KubeObject[]): Promise<void> {
  const client = kubeClient(adminKubeconfig, USER_AGENT);
  try {
    for (const manifest of manifests) {
      await client.create(resourceOf(manifest), manifest).catch((error: unknown) => {
        if (!isKubeCode(error, 409)) throw error;
      });
    }
  } finally {
    client.close();
  }
}
