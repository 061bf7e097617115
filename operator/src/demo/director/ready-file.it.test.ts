import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTestApi } from '@hephaisto/test/api';
import { keepReadyFile } from './ready-file.ts';

test('the file is its owner’s alone, has a fresh link after one was spent, and goes with the demo', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hephaisto-ready-'));
  await using api = await startTestApi();
  try {
    const path = join(folder, 'ready.json');
    writeFileSync(`${path}.draft`, 'left behind', { mode: 0o644 });
    const kept = await keepReadyFile({
      paths: [path],
      url: api.url,
      pid: 7,
      db: api.db,
      links: async () => [
        { principal: 'ana', role: 'approver', url: `${api.url}/sign-in?token=${await api.link('ana')}` },
      ],
    });
    const read = () =>
      JSON.parse(readFileSync(path, 'utf8')) as { type: string; signIn: [{ url: string }]; pid: number };
    const tokenOf = (url: string) => new URL(url).searchParams.get('token');
    const first = read().signIn[0].url;
    assert.deepEqual([read().type, read().pid, statSync(path).mode & 0o777], ['ready', 7, 0o600]);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    assert.equal(read().signIn[0].url, first, 'a link that is good stays');
    const spent = await api.call('/api/v1/session', { body: { token: tokenOf(first) } });
    assert.equal(spent.status, 200);
    while (read().signIn[0].url === first) await new Promise((resolve) => setTimeout(resolve, 50));
    const again = await api.call('/api/v1/session', { body: { token: tokenOf(read().signIn[0].url) } });
    assert.equal(again.status, 200);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    await kept.close();
    assert.equal(existsSync(path), false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
