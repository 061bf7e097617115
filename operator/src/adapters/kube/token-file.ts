import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';

/**
 * The file that holds the current user's bearer token, where there is one: named by `tokenFile` in a kubeconfig, which the library does not
 * know, or by the account that a pod runs as, which the library reads once a minute only. `undefined` for every other kind of credential.
 */
export function tokenFileOf(
  config: KubeConfig,
  source: { readonly text: string | undefined; readonly path: string | undefined },
): string | undefined {
  const user = config.getCurrentUser();
  const provided: unknown = user?.authProvider?.config?.tokenFile;
  if (typeof provided === 'string') return provided;
  if (source.text === undefined || user === null) return undefined;
  const named = usersOf(parse(source.text)).find(({ name }) => name === user.name)?.user?.tokenFile;
  if (typeof named !== 'string' || named === '') return undefined;
  return source.path === undefined ? resolve(named) : resolve(dirname(source.path), named);
}

interface RawUser {
  readonly name?: unknown;
  readonly user?: { readonly tokenFile?: unknown } | null;
}

function usersOf(document: unknown): readonly RawUser[] {
  if (typeof document !== 'object' || document === null || !('users' in document)) return [];
  return Array.isArray(document.users) ? (document.users as RawUser[]) : [];
}

/** The header that the file's present content makes. Rejects when it cannot be read or holds nothing. */
export async function bearerFrom(file: string): Promise<string> {
  const token = (await readFile(file, 'utf8')).trim();
  if (token === '') throw new Error(`expected a token in ${file}, found it empty`);
  return `Bearer ${token}`;
}
