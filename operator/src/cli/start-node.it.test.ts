import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

const START = new URL('../../bin/start-node.mjs', import.meta.url).href;
/** Ends in order at SIGTERM and says so; its output is the pipe that all of these processes share. */
const SERVER = `process.on('SIGTERM', () => { console.log('ended in order'); process.exit(0); }); setInterval(() => {}, 1000); console.log('serves');`;
const LAUNCHER = `import { startNode } from ${JSON.stringify(START)}; process.exitCode = await startNode(process.execPath, ['-e', ${JSON.stringify(SERVER)}]);`;
/** As npm does: starts the launcher and passes no signal on. */
const PARENT = `require('node:child_process').spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(LAUNCHER)}], { stdio: 'inherit' });`;

test('a server that npm started ends in order when npm is ended, so that its port and data folder are free', async () => {
  const parent = spawn(process.execPath, ['-e', PARENT], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: '/usr/bin:/bin', npm_lifecycle_event: 'demo' },
  });
  let output = '';
  parent.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (text.includes('serves')) parent.kill('SIGTERM');
  });
  // The pipe closes only when the last of the three processes has ended.
  await once(parent.stdout, 'close');
  assert.equal(output, 'serves\nended in order\n');
});
