import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '@hephaisto/core/ports/database';
import { sha256 } from '../../api/auth/secrets.ts';
import type { SignInLink } from './output.ts';

const NAME = 'ready.json';
const RENEW_MS = 2_000;
/** A link that is about to expire is as good as spent for whoever reads the file a little later. */
const LEAST_LEFT_MS = 15 * 60_000;

export interface ReadyFileOptions {
  /** The demo's data folder. */
  readonly folder: string;
  readonly url: string;
  readonly pid: number;
  readonly db: Database;
  readonly links: () => Promise<readonly SignInLink[]>;
}

/**
 * Keeps `ready.json` in the data folder for programs that come after the first line was printed: the same line, with links of its own, so that
 * a program spends none that a person was given. A link that was spent or grows old is replaced within two seconds. Readable by its owner
 * alone; taken away when closed.
 */
export async function keepReadyFile(options: ReadyFileOptions): Promise<{ close(): Promise<void> }> {
  const path = join(options.folder, NAME);
  let links = await options.links();
  write(path, options, links);
  let renewal: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    renewal = renewal.then(renew, () => {});
  }, RENEW_MS);

  async function renew(): Promise<void> {
    // A database that is away has nobody to sign in; the next turn asks again.
    const good = await countGood(options.db, links).catch(() => links.length);
    if (good === links.length) return;
    links = await options.links();
    write(path, options, links);
  }

  return {
    async close() {
      clearInterval(timer);
      await renewal.catch(() => {});
      rmSync(path, { force: true });
    },
  };
}

function write(path: string, { url, pid }: ReadyFileOptions, signIn: readonly SignInLink[]): void {
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  const draft = `${path}.draft`;
  // A draft that a killed demo left may be readable by others; the mode of a file is only given when it is made.
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify({ v: 1, type: 'ready', url, signIn, pid })}\n`, { mode: 0o600 });
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
