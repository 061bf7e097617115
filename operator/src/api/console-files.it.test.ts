import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type ApiUnderTest, startTestApi } from '@hephaisto/test/api';
import { consoleExtension } from './console-files.ts';

const SCRIPT = 'console.log(1)';
const EARLY = {
  '/incidents/:id': {
    scripts: ['/assets/incident.js'],
    styles: [],
    reads: ['/api/v1/session', '/api/v1/incidents/:id'],
  },
};

describe('the console’s files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hephaisto-console-'));
  let api: ApiUnderTest;
  before(async () => {
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<html><head><title>x</title><script></script></head></html>');
    writeFileSync(join(folder, 'early.json'), JSON.stringify(EARLY));
    writeFileSync(join(folder, 'assets/incident.js'), SCRIPT);
    writeFileSync(join(folder, 'assets/incident.js.gz'), gzipSync(SCRIPT));
    api = await startTestApi({ deps: { extensions: [consoleExtension(folder)] } });
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${api.url}${path}`, { headers: { accept: 'text/html', ...headers } });
  }

  test('a page’s document asks for the page’s script and readings, with what the address names', async () => {
    const text = await (await get('/incidents/7')).text();
    assert.match(text, /<link rel="preload" as="fetch" crossorigin href="\/api\/v1\/incidents\/7">/);
    assert.match(text, /<link rel="modulepreload" crossorigin href="\/assets\/incident\.js"><\/head>/);
    assert.doesNotMatch(await (await get('/health')).text(), /preload/, 'a page of which the build says nothing');
  });

  test('an address that is markup stays an address', async () => {
    const text = await (await get(`/incidents/${encodeURIComponent('"><script>alert(1)</script>')}`)).text();
    assert.doesNotMatch(text, /<script>alert/);
    assert.match(text, /incidents\/%22%3E%3Cscript%3E/);
  });

  test('stories are named only where their route is', async () => {
    assert.doesNotMatch(await (await get('/')).text(), /name="demo"/);
    const routes = { access: { 'GET /demo/stories': { kind: 'open' } as const } };
    const demo = await startTestApi({
      deps: {
        extensions: [
          consoleExtension(folder),
          { ...routes, register: (app) => void app.get('/demo/stories', async () => ({})) },
        ],
      },
    });
    const text = await (await fetch(`${demo.url}/`, { headers: { accept: 'text/html' } })).text();
    await demo[Symbol.asyncDispose]();
    assert.match(text, /<meta name="demo"/);
  });

  test('a file is sent as small as it was built, and told apart by what the browser takes', async () => {
    const small = await get('/assets/incident.js', { 'accept-encoding': 'gzip' });
    assert.deepEqual(
      [small.headers.get('content-encoding'), small.headers.get('vary'), await small.text()],
      ['gzip', 'accept-encoding', SCRIPT],
    );
    const plain = await get('/assets/incident.js', { 'accept-encoding': 'identity' });
    assert.deepEqual([plain.headers.get('content-encoding'), await plain.text()], [null, SCRIPT]);
  });
});
