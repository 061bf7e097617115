import { parse } from 'yaml';
import { z } from 'zod';

/** Where a cluster is and who we are there; certificates are PEM texts. */
export interface ClusterAccess {
  readonly server: string;
  readonly certificateAuthority?: string;
  readonly token?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

const kubeconfigSchema = z.object({
  'current-context': z.string(),
  contexts: z.array(z.object({ name: z.string(), context: z.object({ cluster: z.string(), user: z.string() }) })),
  clusters: z.array(
    z.object({
      name: z.string(),
      cluster: z.object({ server: z.url(), 'certificate-authority-data': z.string().optional() }),
    }),
  ),
  users: z.array(
    z.object({
      name: z.string(),
      user: z.object({
        token: z.string().optional(),
        'client-certificate-data': z.string().optional(),
        'client-key-data': z.string().optional(),
      }),
    }),
  ),
});

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

function named<T extends { readonly name: string }>(items: readonly T[], name: string, what: string): T {
  const found = items.find((item) => item.name === name);
  if (found === undefined) throw new Error(`expected a ${what} named \`${name}\` in the kubeconfig, found none`);
  return found;
}

/**
 * Reads the current context of a kubeconfig given as text (YAML or JSON) with inline certificates and a bearer token or a
 * client certificate. Files, exec plugins and auth providers are not followed: nothing outside the text is read.
 * Throws when the text is no kubeconfig of that shape.
 */
export function clusterAccess(kubeconfig: string): ClusterAccess {
  const config = kubeconfigSchema.parse(parse(kubeconfig));
  const { context } = named(config.contexts, config['current-context'], 'context');
  const { cluster } = named(config.clusters, context.cluster, 'cluster');
  const { user } = named(config.users, context.user, 'user');
  const authority = cluster['certificate-authority-data'];
  const certificate = user['client-certificate-data'];
  const key = user['client-key-data'];
  return {
    server: cluster.server,
    ...(authority === undefined ? {} : { certificateAuthority: decode(authority) }),
    ...(user.token === undefined ? {} : { token: user.token }),
    ...(certificate === undefined ? {} : { clientCertificate: decode(certificate) }),
    ...(key === undefined ? {} : { clientKey: decode(key) }),
  };
}
