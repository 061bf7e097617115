import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Database } from '@hephaisto/core/ports/database';
import { keepReadyFile } from './ready-file.ts';

/** A table of links of which the test says how many are still good. */
function linksOf(good: () => number): Database {
  return { query: () => Promise.resolve([{ good: good() }]) } as unknown as Database;
}

test('the file is its owner’s alone, has fresh links after one was spent, and goes with the demo', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hephaisto-ready-'));
  try {
    const path = join(folder, 'ready.json');
    writeFileSync(`${path}.draft`, 'left behind', { mode: 0o644 });
    let made = 0;
    let good = 1;
    const kept = await keepReadyFile({
      folder,
      url: 'http://127.0.0.1:1',
      pid: 7,
      db: linksOf(() => good),
      links: async () => {
        made += 1;
        good = 1;
        return [{ principal: 'ana', role: 'approver', url: `http://127.0.0.1:1/sign-in?token=t${made}` }];
      },
    });
    const read = () =>
      JSON.parse(readFileSync(path, 'utf8')) as { type: string; signIn: { url: string }[]; pid: number };
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual([read().type, read().pid, read().signIn[0]?.url.slice(-2)], ['ready', 7, 't1']);
    good = 0;
    while (made < 2) await new Promise((resolve) => setTimeout(resolve, 50));
    while (read().signIn[0]?.url.endsWith('t2') !== true) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    await kept.close();
    assert.equal(existsSync(path), false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
