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
  /**
   * Calls back once when another process has taken the lock: it may, while this process is paused for longer than a holder that cannot be looked up
   * may be silent. Noticed by `check` and every two seconds.
   */
  onTaken(callback: (message: string) => void): void;
  /** Whether the lock is still ours, read anew when it was not read for two heartbeats, so that a resumed process learns of a loss before it writes. */
  check(): boolean;
  /** Idempotent. */
  release(): void;
}

/**
 * Takes the folder for this process, or throws `DataFolderLocked`. Two processes on one folder would both write and destroy it.
 * A lock whose process is gone is taken over; of two that try, one wins.
 */
export function lockFolder(folder: string, nowMs: () => number = () => performance.now()): FolderLock {
  const path = join(folder, LOCK_FILE);
  const self: Holder = { ...identityOf(process.pid), token: randomUUID(), since: new Date().toISOString() };
  const text = JSON.stringify(self);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    if (createNew(path, text)) return holdLock(path, text, nowMs);
    const found = readText(path);
    if (found === undefined) continue;
    const holder = parseHolder(found);
    if (holder !== undefined && !isGone(holder, path)) throw lockedBy(folder, holder);
    if (takeOver(path, found, text)) return holdLock(path, text, nowMs);
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

function holdLock(path: string, text: string, nowMs: () => number): FolderLock {
  let taken: string | undefined;
  let callback: (message: string) => void = () => undefined;
  let readAt = nowMs();
  function beat(): void {
    if (taken !== undefined) return;
    readAt = nowMs();
    const found = readText(path);
    // A lock that is missing or unreadable is nobody's: a full disk or a person who tidies up must not end the database.
    const holder = found === undefined || found === text ? undefined : parseHolder(found);
    if (holder === undefined) {
      quietly(() => utimesSync(path, new Date(), new Date()));
      return;
    }
    clearInterval(heartbeat);
    taken = `process ${holder.pid} took the data folder at ${holder.since}, while this process was paused; end one of the two and start this one again`;
    callback(taken);
  }
  const heartbeat = setInterval(beat, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    onTaken(given) {
      callback = given;
      if (taken !== undefined) given(taken);
    },
    check() {
      if (nowMs() - readAt >= 2 * HEARTBEAT_MS) beat();
      return taken === undefined;
    },
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
