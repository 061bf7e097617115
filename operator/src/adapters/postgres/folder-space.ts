import { randomUUID } from 'node:crypto';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Two segments of the write-ahead log: the engine stops when it cannot create the next one, and readiness is asked for only every few seconds. */
const REQUIRED_BYTES = 32 * 1024 * 1024;
const PROBE_BYTES = 64 * 1024;
/** A file system that does not answer takes no write either. */
const PROBE_DEADLINE_MS = 2_000;

/**
 * Why the data folder takes no more writes; undefined where it does. The free space is asked first, since small writes go on for a while
 * into space that the engine holds already; then a file is written, since a quota or a read-only mount does not show in the free space.
 */
export async function folderCannotWrite(folder: string): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<string>((resolve) => {
    timer = setTimeout(
      () => resolve(`the data folder did not answer within ${PROBE_DEADLINE_MS} ms`),
      PROBE_DEADLINE_MS,
    );
  });
  try {
    return await Promise.race([probe(folder), silent]);
  } finally {
    clearTimeout(timer);
  }
}

async function probe(folder: string): Promise<string | undefined> {
  const file = join(folder, `hephaisto-probe-${randomUUID()}`);
  try {
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    if (free < REQUIRED_BYTES)
      return `the disk of the data folder is full: ${mebibytes(free)} MiB are free, ${mebibytes(REQUIRED_BYTES)} are needed`;
    await writeFile(file, Buffer.alloc(PROBE_BYTES));
    return undefined;
  } catch (error: unknown) {
    return `the data folder cannot be written: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    await rm(file, { force: true }).catch(() => undefined);
  }
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
