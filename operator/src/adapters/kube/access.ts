import { readFile } from 'node:fs/promises';
import type https from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { bearerFrom, tokenFileOf } from './token-file.ts';

/** What one request wears. Headers have lower-case names. */
export interface Dress {
  readonly tls: https.RequestOptions;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth?: string;
  /** The agent in `tls` leads through a proxy and has to be used as it is. */
  readonly proxied: boolean;
}

/** An API server and who we are there. */
export interface Access {
  readonly server: string;
  /** Read anew for each request, so that what is renewed on disk is used at once. Rejects when it cannot be read. */
  dress(): Promise<Dress>;
}

export interface AccessOptions {
  readonly kubeconfigPath?: string;
  readonly kubeconfigYaml?: string;
  readonly inCluster?: boolean;
  /** Default: the file's current context. */
  readonly context?: string;
}

/** Reads exactly what the options name. Throws when it cannot be read or names no server. */
export async function openAccess(options: AccessOptions): Promise<Access> {
  const path = options.kubeconfigYaml === undefined ? options.kubeconfigPath : undefined;
  const text = options.kubeconfigYaml ?? (path === undefined ? undefined : await readFile(path, 'utf8'));
  if (text === undefined && options.inCluster !== true)
    throw new Error(
      'expected a kubeconfig or the cluster this runs in, found neither; set `kubernetes.access` and `kubernetes.kubeconfig`',
    );
  // Loaded here and not at the top: the library takes most of a second and ninety megabytes, which commands without a cluster would pay too.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (path !== undefined) config.loadFromFile(path);
  else if (text !== undefined) config.loadFromString(text);
  else config.loadFromCluster();
  if (options.context !== undefined) config.setCurrentContext(options.context);
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) {
    throw new Error(`expected a context with a cluster, found \`${config.getCurrentContext()}\`; name one that exists`);
  }
  const tokenFile = tokenFileOf(config, { text, path });
  return { server, dress: () => dressOf(config, tokenFile) };
}

async function dressOf(config: KubeConfig, tokenFile: string | undefined): Promise<Dress> {
  const tls: https.RequestOptions = {};
  await config.applyToHTTPSOptions(tls);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(tls.headers ?? {})) headers[name.toLowerCase()] = String(value);
  if (tokenFile !== undefined) headers.authorization = await bearerFrom(tokenFile);
  const auth = tls.auth ?? undefined;
  return {
    tls,
    headers,
    ...(auth === undefined ? {} : { auth }),
    proxied: config.getCurrentCluster()?.proxyUrl !== undefined,
  };
}
