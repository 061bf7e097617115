import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { compress } from '../build.ts';

/** Instants of the file system's clock, far enough apart for any. */
const EARLIER = new Date('2026-11-30T10:00:00Z');
const LATER = new Date('2026-11-30T10:01:00Z');

function inFolder(body: (path: (name: string) => string, folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'console-build-'));
  try {
    body((name) => join(folder, name), folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('scripts and styles get smaller copies of the same text, and nothing unfinished stays', () =>
  inFolder((path, folder) => {
    writeFileSync(path('a.js'), 'let a = 1;');
    writeFileSync(path('b.woff2'), 'letters');
    compress(folder);
    assert.deepEqual(readdirSync(folder).sort(), ['a.js', 'a.js.br', 'a.js.gz', 'b.woff2']);
    assert.equal(gunzipSync(readFileSync(path('a.js.gz'))).toString(), 'let a = 1;');
    assert.equal(brotliDecompressSync(readFileSync(path('a.js.br'))).toString(), 'let a = 1;');
  }));

test('a broken copy is made anew once its file is written again', () =>
  inFolder((path, folder) => {
    writeFileSync(path('a.js'), 'let a = 1;');
    for (const copy of ['a.js.gz', 'a.js.br']) {
      writeFileSync(path(copy), 'half');
      utimesSync(path(copy), EARLIER, EARLIER);
    }
    utimesSync(path('a.js'), LATER, LATER);
    compress(folder);
    assert.equal(gunzipSync(readFileSync(path('a.js.gz'))).toString(), 'let a = 1;');
    assert.equal(brotliDecompressSync(readFileSync(path('a.js.br'))).toString(), 'let a = 1;');
  }));

test('copies newer than their file are left alone: compressing what earlier builds left takes long', () =>
  inFolder((path, folder) => {
    writeFileSync(path('a.js'), 'let a = 1;');
    utimesSync(path('a.js'), EARLIER, EARLIER);
    for (const copy of ['a.js.gz', 'a.js.br']) writeFileSync(path(copy), 'kept');
    for (const copy of ['a.js.gz', 'a.js.br']) utimesSync(path(copy), LATER, LATER);
    compress(folder);
    assert.equal(readFileSync(path('a.js.gz'), 'utf8'), 'kept');
    assert.equal(readFileSync(path('a.js.br'), 'utf8'), 'kept');
  }));
