#!/usr/bin/env node
// Plain JavaScript for the host's Node, 20 or newer: starts the command line on a Node that runs TypeScript as it is.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode } from './find-node.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ENTRY = join(ROOT, 'operator/src/cli/hephaisto.ts');

const node = findNode(ROOT);
if (node === undefined) {
  process.stderr.write(
    `expected Node 24 for ${process.platform} ${process.arch}, found ${process.version}; run \`npm ci\` or install Node 24 or newer\n`,
  );
  process.exitCode = 5;
} else {
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', ENTRY, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  // The terminal sends Ctrl-C to the whole group; a signal sent to us alone must reach the child too.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => {});
  child.on('error', (error) => {
    process.stderr.write(`expected to start ${node}, found ${error.message}\n`);
    process.exitCode = 5;
  });
  child.on('close', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : 1);
  });
}
