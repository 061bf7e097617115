import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Access } from './access.ts';
import { bearerFrom } from './token-file.ts';

const Cluster = z.strictObject({
  server: z.string().startsWith('https://'),
  'certificate-authority': z.string().min(1).optional(),
  'certificate-authority-data': z.string().min(1).optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': z.string().min(1).optional(),
  extensions: z.unknown().optional(),
});

const User = z.strictObject({
  token: z.string().min(1).optional(),
  tokenFile: z.string().min(1).optional(),
  'client-certificate': z.string().min(1).optional(),
  'client-certificate-data': z.string().min(1).optional(),
  'client-key': z.string().min(1).optional(),
  'client-key-data': z.string().min(1).optional(),
});

const Kubeconfig = z.object({
  'current-context': z.string().optional(),
  clusters: z.array(z.object({ name: z.string(), cluster: z.unknown() })),
  contexts: z.array(z.object({ name: z.string(), context: z.object({ cluster: z.string(), user: z.string() }) })),
  users: z.array(z.object({ name: z.string(), user: z.unknown() })),
});

/**
 * The access of a kubeconfig whose current context needs nothing but tokens, certificates and files of such, read without the client library:
 * that costs a process sixty megabytes and most of a second for good. Undefined for all else, be it a helper program, a proxy or a mistake: the
 * library knows those and has the words for them.
 */
export function plainAccess(
  text: string,
  { path, context }: { readonly path: string | undefined; readonly context: string | undefined },
): Access | undefined {
  const found = currentOf(text, context);
  if (found === undefined) return undefined;
  const { cluster, user } = found;
  const folder = path === undefined ? '' : dirname(path);
  const bytesOf = async (file: string | undefined, data: string | undefined): Promise<Buffer | undefined> => {
    if (file !== undefined) return readFile(isAbsolute(file) ? file : join(folder, file));
    return data === undefined ? undefined : Buffer.from(data, 'base64');
  };
  const authorization = async (): Promise<string | undefined> => {
    if (user.tokenFile !== undefined) return bearerFrom(resolve(folder, user.tokenFile));
    return user.token === undefined ? undefined : `Bearer ${user.token}`;
  };
  return {
    server: cluster.server.replace(/\/$/, ''),
    async dress() {
      const bearer = await authorization();
      const ca = await bytesOf(cluster['certificate-authority'], cluster['certificate-authority-data']);
      const cert = await bytesOf(user['client-certificate'], user['client-certificate-data']);
      const key = await bytesOf(user['client-key'], user['client-key-data']);
      const servername = cluster['tls-server-name'];
      return {
        tls: {
          ...(ca === undefined ? {} : { ca }),
          ...(cert === undefined ? {} : { cert }),
          ...(key === undefined ? {} : { key }),
          ...(servername === undefined ? {} : { servername }),
          ...(cluster['insecure-skip-tls-verify'] === true ? { rejectUnauthorized: false } : {}),
        },
        headers: bearer === undefined ? {} : { authorization: bearer },
        proxied: false,
      };
    },
  };
}

function currentOf(text: string, named: string | undefined) {
  const document = Kubeconfig.safeParse(readYaml(text)).data;
  const current = named ?? document?.['current-context'];
  const context = document?.contexts.find(({ name }) => name === current)?.context;
  const cluster = Cluster.safeParse(document?.clusters.find(({ name }) => name === context?.cluster)?.cluster).data;
  const user = User.safeParse(document?.users.find(({ name }) => name === context?.user)?.user).data;
  return cluster === undefined || user === undefined ? undefined : { cluster, user };
}

function readYaml(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The access of the account that a pod runs as, by the variables that its node gave it. Undefined where they name no server over TLS. */
export function podAccess(
  environment: Readonly<Record<string, string | undefined>>,
  folder = ACCOUNT,
): Access | undefined {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = environment;
  if (host === '' || port === '' || ['80', '8080', '8001'].includes(port)) return undefined;
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    dress: async () => ({
      tls: { ca: await readFile(join(folder, 'ca.crt')) },
      headers: { authorization: await bearerFrom(join(folder, 'token')) },
      proxied: false,
    }),
  };
}
