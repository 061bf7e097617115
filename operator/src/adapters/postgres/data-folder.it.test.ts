import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type StorageRefusal, StorageRefused } from '@hephaisto/core/ports/database';
import { DATA_FORMAT } from './data-folder.ts';
import { lockFolder } from './folder-lock.ts';
import { openPglite } from './pglite.ts';

const roots: string[] = [];

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hephaisto-data-'));
  roots.push(folder);
  return folder;
}

after(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

async function refusedWith(code: StorageRefusal, folder: string): Promise<void> {
  await assert.rejects(openPglite({ folder }), (error) => {
    assert.ok(error instanceof StorageRefused, String(error));
    assert.equal(error.code, code);
    assert.equal(error.exitCode, 4);
    assert.match(error.message, /^expected .*[^.]$/);
    return true;
  });
}

/** A process that opens the folder, writes numbered rows, says each number once it is committed, and never ends by itself. */
const WRITER = `
  const { openPglite } = await import(${JSON.stringify(fileURLToPath(new URL('./pglite.ts', import.meta.url)))});
  const db = await openPglite({ folder: process.argv[1] });
  await db.execute('CREATE TABLE IF NOT EXISTS written (n int PRIMARY KEY, pad text)');
  const [last] = await db.query('SELECT coalesce(max(n), 0) AS n FROM written');
  for (let n = last.n + 1; ; n += 1) {
    await db.transaction((tx) => tx.execute('INSERT INTO written VALUES ($1, $2)', [n, 'x'.repeat(500)]));
    process.stdout.write(n + '\\n');
  }`;

/** Kills the writer after it has committed some rows and gives the last number that it had said. */
async function killWriter(folder: string, afterMs: number): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child.stdout, 'data');
  setTimeout(() => child.kill('SIGKILL'), afterMs);
  await once(child, 'exit');
  return Number(said.trimEnd().split('\n').at(-1));
}

describe('the data folder', () => {
  // Creating the database files takes seconds of both cores, so one creation serves whatever does not need its own.
  const folder = join(freshFolder(), 'a', 'b');
  before(async () => {
    const db = await openPglite({ folder });
    await db.execute('CREATE TABLE kept (v text)');
    await db.execute('INSERT INTO kept VALUES ($1)', ['there']);
    await db.close();
  });

  test('keeps what was written and is picked up again', async () => {
    const db = await openPglite({ folder });
    try {
      assert.deepEqual(await db.query('SELECT v FROM kept'), [{ v: 'there' }]);
    } finally {
      await db.close();
    }
  });

  test('is created for its owner alone', () => {
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  test('is locked while it is open and free after it is closed', async () => {
    const db = await openPglite({ folder });
    await refusedWith('DataFolderLocked', folder);
    await db.close();
    lockFolder(folder).release();
  });

  test('a lock of a process that is gone is taken over, by one of many', async () => {
    const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
    await once(child, 'exit');
    const lock = lockFolder(folder);
    const path = join(folder, 'hephaisto.lock');
    const own: unknown = JSON.parse(readFileSync(path, 'utf8'));
    lock.release();
    writeFileSync(path, JSON.stringify({ ...(own as object), pid: child.pid, token: 'gone' }));
    const taken = [1, 2, 3, 4].map(() => {
      try {
        return lockFolder(folder);
      } catch {
        return undefined;
      }
    });
    assert.equal(taken.filter((one) => one !== undefined).length, 1);
    for (const one of taken) one?.release();
  });

  test('a process number that was given out again does not keep the lock', () => {
    const lock = lockFolder(folder);
    const path = join(folder, 'hephaisto.lock');
    const own: unknown = JSON.parse(readFileSync(path, 'utf8'));
    lock.release();
    writeFileSync(path, JSON.stringify({ ...(own as object), startTime: '1', token: 'reused' }));
    lockFolder(folder).release();
  });

  test('a holder on another machine keeps the lock while it shows life', () => {
    const path = join(folder, 'hephaisto.lock');
    const elsewhere = { pid: 1, boot: 'another', pidNamespace: 'another', startTime: '1', token: 't', since: 'now' };
    writeFileSync(path, JSON.stringify(elsewhere));
    assert.throws(() => lockFolder(folder), StorageRefused);
    rmSync(path);
  });

  test('a process that was paused learns before its next statement that another has taken the folder, and writes no more', async () => {
    const path = join(folder, 'hephaisto.lock');
    const elsewhere = { pid: 7, boot: 'another', pidNamespace: 'another', startTime: '1', token: 't', since: 'now' };
    let passedMs = 0;
    const lock = lockFolder(folder, () => passedMs);
    const told: string[] = [];
    lock.onTaken((message) => told.push(message));
    assert.equal(lock.check(), true);
    writeFileSync(path, JSON.stringify(elsewhere));
    passedMs = 60_000;
    assert.equal(lock.check(), false);
    assert.match(told.join(), /process 7 took the data folder/);
    lock.release();
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).token, 't');
    rmSync(path);
  });

  test('a database whose folder was taken stops for good, says why and leaves the lock of the other', async () => {
    const path = join(folder, 'hephaisto.lock');
    const elsewhere = { pid: 7, boot: 'another', pidNamespace: 'another', startTime: '1', token: 't', since: 'now' };
    const db = await openPglite({ folder });
    writeFileSync(path, JSON.stringify(elsewhere));
    let refused: unknown;
    while (refused === undefined) {
      await db.query('SELECT 1').catch((error: unknown) => {
        refused = error;
      });
      await sleep(50);
    }
    assert.match(String(refused), /process 7 took the data folder/);
    assert.match(db.engine?.().down ?? '', /process 7 took the data folder/);
    await db.close();
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).token, 't');
    rmSync(path);
  });

  test('survives kill -9 with every row that was said to be committed', async () => {
    for (const afterMs of [60, 240]) {
      const said = await killWriter(folder, afterMs);
      assert.ok(said > 0);
      const db = await openPglite({ folder });
      const [row] = await db.query<{ n: number; top: number }>('SELECT count(*) AS n, max(n) AS top FROM written');
      await db.close();
      assert.ok(row !== undefined && row.top >= said, `expected ${said} rows at least, found ${row?.top}`);
      assert.equal(row.n, row.top);
    }
  });

  test('a creation that was cut off is begun again', async () => {
    const half = freshFolder();
    writeFileSync(
      join(half, 'hephaisto-data.json'),
      JSON.stringify({ product: 'hephaisto', format: 1, postgres: 18, ready: false }),
    );
    const db = await openPglite({ folder: half });
    assert.deepEqual(await db.query('SELECT 1 AS one'), [{ one: 1 }]);
    await db.close();
  });

  const MARKERS: Readonly<Record<string, readonly [StorageRefusal, string]>> = {
    'a newer format is refused': [
      'DataFolderNewer',
      JSON.stringify({ product: 'hephaisto', format: DATA_FORMAT + 1, postgres: 18 }),
    ],
    'a newer PostgreSQL is refused': [
      'DataFolderNewer',
      JSON.stringify({ product: 'hephaisto', format: 1, postgres: 99 }),
    ],
    'another product’s folder is refused': [
      'DataFolderForeign',
      JSON.stringify({ product: 'other', format: 1, postgres: 18 }),
    ],
    'a marker that cannot be read is broken': ['DataFolderBroken', '{'],
    'a marker of another shape is broken': ['DataFolderBroken', '[]'],
    'a marker without its database is broken': [
      'DataFolderBroken',
      JSON.stringify({ product: 'hephaisto', format: 1, postgres: 18 }),
    ],
    'an older PostgreSQL is broken': [
      'DataFolderBroken',
      JSON.stringify({ product: 'hephaisto', format: 1, postgres: 17 }),
    ],
  };
  for (const [sentence, [code, marker]] of Object.entries(MARKERS)) {
    test(sentence, async () => {
      const marked = freshFolder();
      writeFileSync(join(marked, 'hephaisto-data.json'), marker);
      await refusedWith(code, marked);
    });
  }

  test('database files that the engine cannot start are broken', async () => {
    const damaged = freshFolder();
    cpSync(folder, damaged, { recursive: true });
    writeFileSync(join(damaged, 'pgdata', 'global', 'pg_control'), 'damaged');
    await refusedWith('DataFolderBroken', damaged);
    lockFolder(damaged).release();
  });

  test('a folder with somebody’s files is refused and left alone', async () => {
    const foreign = freshFolder();
    writeFileSync(join(foreign, 'thesis.txt'), 'mine');
    await refusedWith('DataFolderForeign', foreign);
    assert.equal(readFileSync(join(foreign, 'thesis.txt'), 'utf8'), 'mine');
  });

  test('a file in the folder’s place is refused', async () => {
    const path = join(freshFolder(), 'file');
    writeFileSync(path, '');
    await refusedWith('DataFolderForeign', path);
  });
});
