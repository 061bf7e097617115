import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderCannotWrite } from './folder-space.ts';

test('a folder with room takes writes, and the check leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hephaisto-space-'));
  try {
    assert.equal(await folderCannotWrite(folder), undefined);
    assert.deepEqual(readdirSync(folder), []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a file system without room is full, and says how much it lacks', {
  skip: process.platform !== 'linux',
}, async () => {
  assert.match(
    (await folderCannotWrite('/proc')) ?? '',
    /disk of the data folder is full: 0 MiB are free, 32 are needed/,
  );
});

test('a folder that is gone takes no writes', async () => {
  assert.match((await folderCannotWrite(join(tmpdir(), 'hephaisto-gone'))) ?? '', /cannot be written: ENOENT/);
});
