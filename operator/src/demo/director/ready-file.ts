import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Database } from '@hephaisto/core/ports/database';
import { sha256 } from '../../api/auth/secrets.ts';
import type { SignInLink } from './output.ts';

const RENEW_MS = 2_000;
/** A link that is about to expire is as good as spent for whoever reads the file a little later. */
const LEAST_LEFT_MS = 5 * 60_000;

export interface ReadyFileOptions {
  /** Where it stands: in the data folder, and where those look who know only the port. */
  readonly paths: readonly string[];
  readonly url: string;
  readonly pid: number;
  readonly db: Database;
  readonly links: () => Promise<readonly SignInLink[]>;
}

/** Both places of a demo's file. */
export function readyPaths(dataFolder: string, url: string): readonly string[] {
  return [join(dataFolder, 'ready.json'), resolve('.hephaisto', 'running', `${new URL(url).port}.json`)];
}

/**
 * Keeps `ready.json` in the data folder for programs that come after the first line was printed: the same line, with links of its own, so that
 * a program spends none that a person was given. A link that was spent or grows old is replaced within two seconds. Readable by its owner
 * alone; taken away when closed.
 */
export async function keepReadyFile(options: ReadyFileOptions): Promise<{ close(): Promise<void> }> {
  let links = await options.links();
  writeAll(options, links);
  let renewal: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    renewal = renewal.then(renew, () => {});
  }, RENEW_MS);

  async function renew(): Promise<void> {
    // A database that is away has nobody to sign in; the next turn asks again.
    const good = await countGood(options.db, links).catch(() => links.length);
    if (good === links.length) return;
    links = await options.links();
    writeAll(options, links);
  }

  return {
    async close() {
      clearInterval(timer);
      await renewal.catch(() => {});
      for (const path of options.paths) rmSync(path, { force: true });
    },
  };
}

function writeAll({ paths, url, pid }: ReadyFileOptions, signIn: readonly SignInLink[]): void {
  const line = `${JSON.stringify({ v: 1, type: 'ready', url, signIn, pid })}\n`;
  for (const path of paths) write(path, line);
}

function write(path: string, line: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.draft`;
  // A draft that a killed demo left may be readable by others; the mode of a file is only given when it is made.
  rmSync(draft, { force: true });
  writeFileSync(draft, line, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}

async function countGood(db: Database, links: readonly SignInLink[]): Promise<number> {
  const hashes = links.map(({ url }) =>
    Buffer.from(sha256(new URL(url).searchParams.get('token') ?? '')).toString('hex'),
  );
  const rows = await db.query<{ good: number }>(
    `SELECT count(*)::int AS good FROM sign_in_links
     WHERE encode(token_sha256, 'hex') = ANY($1::text[]) AND used_at IS NULL AND expires_at > app_now() + $2 * interval '1 millisecond'`,
    [hashes, LEAST_LEFT_MS],
  );
  return rows[0]?.good ?? 0;
}
