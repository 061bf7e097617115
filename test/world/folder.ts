import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface WorldFolder {
  readonly path: string;
  /** Removes it with all it holds. */
  remove(): void;
}

const PREFIX = 'hephaisto-world-';

/**
 * Waits for the end of its input, which is ours, then unmounts and removes what we left. Several times, since what we started dies at the
 * same moment and may still write.
 */
const REAP = `cat >/dev/null
for n in 1 2 3 4 5 6 7 8 9 10; do
  grep -o " $1/[^ ]*" /proc/mounts | xargs -r umount -l 2>/dev/null
  rm -rf "$1" 2>/dev/null; sleep 0.3; [ -e "$1" ] || exit 0
done`;

/**
 * A new folder below the system's temporary one for everything that a world writes. It goes when `remove` is called, and also when this
 * process is killed: a process of its own waits for that.
 */
export function openWorldFolder(): WorldFolder {
  sweepDeadWorlds();
  const path = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  // The database's own user must reach its folder.
  chmodSync(path, 0o711);
  const reaper = spawn('sh', ['-c', REAP, 'sh', path], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  reaper.on('error', () => undefined);
  reaper.stdin.on('error', () => undefined);
  reaper.unref();
  if ('unref' in reaper.stdin && typeof reaper.stdin.unref === 'function') reaper.stdin.unref();
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
      reaper.stdin.end();
    },
  };
}

/** Removes the folders of worlds whose process and reaper were both killed before they could. Their children died with them. */
function sweepDeadWorlds(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : Number.NaN;
    if (Number.isInteger(pid) && !existsSync(`/proc/${pid}`))
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}
