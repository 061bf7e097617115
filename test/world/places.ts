import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The Go module that yields the control plane. */
export const CLUSTER_MODULE = fileURLToPath(new URL('../cluster/', import.meta.url));

/**
 * Where built and downloaded things are kept between runs, outside the working tree. As root it is a folder that the database's own user
 * can read, since PostgreSQL refuses to run as root and root's home is closed.
 */
export function cacheRoot(): string {
  return process.getuid?.() === 0 ? '/var/cache/hephaisto' : join(homedir(), '.cache', 'hephaisto');
}

/** Folder of the control plane's binaries, named by the content they are built from. */
export function binariesFolder(): string {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) hash.update(readFileSync(join(CLUSTER_MODULE, file)));
  return join(cacheRoot(), 'control-plane', hash.digest('hex').slice(0, 16));
}

/** Where the standing world of this checkout writes down where it is. */
export function stateFile(): string {
  const checkout = createHash('sha256').update(CLUSTER_MODULE).digest('hex').slice(0, 12);
  return join(cacheRoot(), 'world', checkout, 'state.json');
}
