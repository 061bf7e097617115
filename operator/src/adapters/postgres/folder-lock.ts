import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StorageRefused } from '@hephaisto/core/ports/database';
import { identityOf, isAlive, type ProcessIdentity } from './boot-identity.ts';

const LOCK_FILE = 'hephaisto.lock';
const HEARTBEAT_MS = 2_000;
/** A holder whose process cannot be looked up (another machine or container) counts as gone after this silence. */
const SILENT_MS = 15_000;

interface Holder extends ProcessIdentity {
  readonly token: string;
  readonly since: string;
}

export interface FolderLock {
  /** Idempotent. */
  release(): void;
}

/**
 * Takes the folder for this process, or throws `DataFolderLocked`. Two processes on one folder would both write and destroy it.
 * A lock whose process is gone is taken over; of two that try, one wins.
 */
export function lockFolder(folder: string): FolderLock {
  const path = join(folder, LOCK_FILE);
  const self: Holder = { ...identityOf(process.pid), token: randomUUID(), since: new Date().toISOString() };
  const text = JSON.stringify(self);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    if (createNew(path, text)) return holdLock(path, text);
    const found = readText(path);
    if (found === undefined) continue;
    const holder = parseHolder(found);
    if (holder !== undefined && !isGone(holder, path)) throw lockedBy(folder, holder);
    if (takeOver(path, found, text)) return holdLock(path, text);
  }
  throw new StorageRefused(
    'DataFolderLocked',
    `expected to lock the data folder \`${folder}\`, but other processes kept taking it; try again`,
  );
}

function lockedBy(folder: string, holder: Holder): StorageRefused {
  return new StorageRefused(
    'DataFolderLocked',
    `expected the data folder \`${folder}\` to be free, found process ${holder.pid} using it since ${holder.since}; stop that process or name another folder`,
  );
}

function isGone(holder: Holder, path: string): boolean {
  const life = isAlive(holder);
  if (life !== 'unknown') return life === 'dead';
  const heartbeat = quietly(() => statSync(path).mtimeMs) ?? 0;
  return Date.now() - heartbeat > SILENT_MS;
}

/**
 * Replaces exactly the lock that was read. A claim file, created exclusively, lets one process at a time do so; whoever gets it looks
 * again, since the lock may have been replaced while it waited.
 */
function takeOver(path: string, stale: string, text: string): boolean {
  const claim = `${path}.claim`;
  if (!createNew(claim, text)) {
    const claimant = parseHolder(readText(claim) ?? '');
    if (claimant === undefined || isGone(claimant, claim)) rmSync(claim, { force: true });
    return false;
  }
  try {
    if (readText(path) !== stale) return false;
    const fresh = `${path}.fresh`;
    writeFileSync(fresh, text);
    renameSync(fresh, path);
    return true;
  } finally {
    rmSync(claim, { force: true });
  }
}

function holdLock(path: string, text: string): FolderLock {
  const heartbeat = setInterval(() => quietly(() => utimesSync(path, new Date(), new Date())), HEARTBEAT_MS);
  heartbeat.unref();
  return {
    release: () => {
      clearInterval(heartbeat);
      if (readText(path) === text) rmSync(path, { force: true });
    },
  };
}

/** Creates the file with its whole content at once, so that nobody ever reads half a lock; false when it exists. */
function createNew(path: string, text: string): boolean {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, text);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readText(path: string): string | undefined {
  return quietly(() => readFileSync(path, 'utf8'));
}

/** Undefined for a file that no process of ours wrote: a lock appears with its whole content. */
function parseHolder(text: string): Holder | undefined {
  return quietly(() => {
    const value: unknown = JSON.parse(text);
    const isHolder =
      typeof value === 'object' &&
      value !== null &&
      'pid' in value &&
      typeof value.pid === 'number' &&
      'token' in value;
    return isHolder ? (value as Holder) : undefined;
  });
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
