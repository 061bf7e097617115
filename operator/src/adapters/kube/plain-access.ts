import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Access, Dress } from './access.ts';
import { bearerFrom } from './token-file.ts';

/** A kubeconfig whose every word is known here. Strict: one word more and the library has to read it. */
const clusterSchema = z.strictObject({
  server: z.url({ protocol: /^https?$/ }),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.base64().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': z.string().optional(),
});
const userSchema = z.strictObject({
  token: z.string().min(1).optional(),
  tokenFile: z.string().min(1).optional(),
  'client-certificate': z.string().optional(),
  'client-certificate-data': z.base64().optional(),
  'client-key': z.string().optional(),
  'client-key-data': z.base64().optional(),
});
const contextSchema = z.strictObject({ cluster: z.string(), user: z.string(), namespace: z.string().optional() });

const kubeconfigSchema = z.object({
  'current-context': z.string().optional(),
  contexts: z.array(z.object({ name: z.string(), context: z.unknown() })),
  clusters: z.array(z.object({ name: z.string(), cluster: z.unknown() })),
  users: z.array(z.object({ name: z.string(), user: z.unknown() })),
});

/**
 * Access by what stands in the kubeconfig itself or in the files that it names, which is what most of them hold. `undefined` for everything
 * else: helper programs, providers, proxies, a context that is not there. Those are the library's, which costs ninety megabytes to load.
 */
export function plainAccess(
  text: string,
  at: { readonly path: string | undefined; readonly context: string | undefined },
): Access | undefined {
  const config = kubeconfigSchema.safeParse(parsed(text));
  if (!config.success) return undefined;
  const { contexts, clusters, users } = config.data;
  const wanted = at.context ?? config.data['current-context'];
  const context = contextSchema.safeParse(contexts.find(({ name }) => name === wanted)?.context);
  if (!context.success) return undefined;
  const cluster = clusterSchema.safeParse(clusters.find(({ name }) => name === context.data.cluster)?.cluster);
  const user = userSchema.safeParse(users.find(({ name }) => name === context.data.user)?.user);
  if (!cluster.success || !user.success) return undefined;
  const folder = at.path === undefined ? '.' : dirname(at.path);
  return { server: cluster.data.server, dress: () => dress(cluster.data, user.data, folder) };
}

/** Where every pod finds the account it runs as. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Access as the account that this pod runs as; `undefined` where the platform has not said where its API server is. */
export function podAccess(
  environment: Readonly<Record<string, string | undefined>>,
  account: string = ACCOUNT,
): Access | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  if (host === undefined || host === '' || port === undefined || port === '') return undefined;
  const name = host.includes(':') ? `[${host}]` : host;
  const cluster = { server: `https://${name}:${port}`, 'certificate-authority': `${account}/ca.crt` };
  return { server: cluster.server, dress: () => dress(cluster, { tokenFile: `${account}/token` }, '/') };
}

async function dress(
  cluster: z.infer<typeof clusterSchema>,
  user: z.infer<typeof userSchema>,
  folder: string,
): Promise<Dress> {
  const pem = async (data: string | undefined, file: string | undefined) => {
    if (data !== undefined) return Buffer.from(data, 'base64');
    return file === undefined || file === '' ? undefined : await readFile(resolve(folder, file));
  };
  const [ca, cert, key] = await Promise.all([
    pem(cluster['certificate-authority-data'], cluster['certificate-authority']),
    pem(user['client-certificate-data'], user['client-certificate']),
    pem(user['client-key-data'], user['client-key']),
  ]);
  const bearer = await authorization(user, folder);
  const { 'tls-server-name': servername, 'insecure-skip-tls-verify': unverified } = cluster;
  return {
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(servername === undefined ? {} : { servername }),
      rejectUnauthorized: unverified !== true,
    },
    headers: bearer === undefined ? {} : { authorization: bearer },
    proxied: false,
  };
}

/** The file wins where both are given: it is the one that is renewed. */
async function authorization(
  user: Pick<z.infer<typeof userSchema>, 'token' | 'tokenFile'>,
  folder: string,
): Promise<string | undefined> {
  if (user.tokenFile !== undefined) return await bearerFrom(resolve(folder, user.tokenFile));
  return user.token === undefined ? undefined : `Bearer ${user.token}`;
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
