import type { Config } from '@hephaisto/core/config/schema';
import type { Logger } from '@hephaisto/core/ports/telemetry';
import { type KubeConnection, openKubeConnection } from '../adapters/kube/connection.ts';
import type { TokenReview } from '../api/deps.ts';

/** The cluster could not be identified: without its id no signal can be filed and nothing may be acted on. */
export class ClusterUnreachable extends Error {
  readonly tag = 'ClusterUnreachable';
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ClusterUnreachable';
  }
}

/** `kubeconfigYaml` is a kubeconfig as text, given by whoever runs the operator in process. */
export async function connectCluster(
  config: Config['kubernetes'],
  kubeconfigYaml: string | undefined,
  log: Logger,
): Promise<KubeConnection> {
  const defaultTimeoutMs = config.requestTimeout;
  try {
    if (kubeconfigYaml !== undefined) return await openKubeConnection({ kubeconfigYaml, defaultTimeoutMs, log });
    if (config.access === 'in-cluster')
      return insideOnly(await openKubeConnection({ inCluster: true, defaultTimeoutMs, log }));
    return await openKubeConnection({
      ...(config.kubeconfig === undefined ? {} : { kubeconfigPath: config.kubeconfig }),
      ...(config.context === undefined ? {} : { context: config.context }),
      defaultTimeoutMs,
      log,
    });
  } catch (error: unknown) {
    const found = error instanceof Error ? error.message : String(error);
    throw new ClusterUnreachable(
      `expected access to a cluster by kubernetes.access \`${config.access}\`, found: ${found}; ${remedy(error, config)}`,
      error,
    );
  }
}

function remedy(error: unknown, { access }: Config['kubernetes']): string {
  const isMissing = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES');
  if (isMissing) return 'name a kubeconfig in kubernetes.kubeconfig that exists and may be read';
  return access === 'in-cluster'
    ? 'run in a pod with a service account, or set kubernetes.access to kubeconfig'
    : 'check the address and credentials in the kubeconfig, and kubernetes.context';
}

/** Outside a pod the library makes an address out of nothing instead of saying that there is none. */
function insideOnly(connection: KubeConnection): KubeConnection {
  if (!connection.server.includes('undefined')) return connection;
  connection.close();
  throw new Error(
    'no service account of a pod; run it in a pod, or set kubernetes.access to `kubeconfig` and name the file',
  );
}

/** The cluster's identity: the uid of its kube-system namespace, which no other cluster has and no rename changes. */
export async function readClusterId(connection: Pick<KubeConnection, 'server' | 'request'>): Promise<string> {
  const answer = await connection.request({ method: 'GET', path: '/api/v1/namespaces/kube-system' });
  if (answer.kind === 'failure')
    throw new ClusterUnreachable(
      `expected to read the namespace kube-system of ${connection.server}, found ${answer.reason}: ${answer.message}; is the address right, and may we get namespaces?`,
    );
  const uid = uidOf(answer.value.text);
  if (uid === undefined)
    throw new ClusterUnreachable(
      `expected a namespace with a uid from ${connection.server}, found something else; is that a Kubernetes API?`,
    );
  return uid;
}

function uidOf(text: string): string | undefined {
  try {
    const { metadata } = JSON.parse(text) as { metadata?: { uid?: unknown } };
    return typeof metadata?.uid === 'string' && metadata.uid !== '' ? metadata.uid : undefined;
  } catch {
    return undefined;
  }
}

/** Asks the cluster whose token it is. */
export function createTokenReview(connection: KubeConnection, audiences: readonly string[]): TokenReview {
  return async (token) => {
    const answer = await connection.request({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token, ...(audiences.length === 0 ? {} : { audiences }) },
      }),
    });
    if (answer.kind === 'failure')
      return {
        kind: 'refused',
        reason: 'cluster-unavailable',
        message: `the cluster could not be asked: ${answer.reason}`,
      };
    return reviewOf(answer.value.text, audiences);
  };
}

interface ReviewStatus {
  readonly authenticated?: unknown;
  readonly user?: { readonly username?: unknown; readonly groups?: unknown };
  readonly audiences?: unknown;
}

function reviewOf(text: string, audiences: readonly string[]): Awaited<ReturnType<TokenReview>> {
  const { status } = JSON.parse(text) as { status?: ReviewStatus };
  const username = status?.user?.username;
  const refused = { kind: 'refused', reason: 'token-refused', message: 'the cluster does not know the token' } as const;
  if (status?.authenticated !== true || typeof username !== 'string') return refused;
  // A server that knows nothing of audiences leaves them out; a token meant for somebody else must not pass because of that.
  const meant = Array.isArray(status.audiences) ? status.audiences : [];
  if (audiences.length > 0 && !audiences.some((audience) => meant.includes(audience))) return refused;
  const groups = Array.isArray(status.user?.groups)
    ? status.user.groups.filter((group) => typeof group === 'string')
    : [];
  return { kind: 'accepted', username, groups };
}
