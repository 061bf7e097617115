#!/usr/bin/env node
// Plain JavaScript for the host's Node, 20 or newer: starts the command line on a Node that runs TypeScript as it is.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode, SERVING_FLAGS } from './find-node.mjs';
import { ensureInstalled } from './install.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ENTRY = join(ROOT, 'operator/src/cli/hephaisto.ts');

// An installed copy has no lock file beside it, and nothing of its own to install.
const ready = !existsSync(join(ROOT, 'package-lock.json')) || ensureInstalled();
const node = ready ? findNode(ROOT) : undefined;
if (!ready) process.exitCode = 5;
else if (node === undefined) {
  process.stderr.write(
    `expected Node 24 for ${process.platform} ${process.arch}, found ${process.version}; run \`npm ci\` or install Node 24 or newer\n`,
  );
  process.exitCode = 5;
} else start(node);

function start(node) {
  let child;
  try {
    child = spawn(node, [...SERVING_FLAGS, ENTRY, ...process.argv.slice(2)], {
      stdio: 'inherit',
    });
  } catch (error) {
    // A binary that npm is still writing throws here instead of telling by an event.
    process.stderr.write(
      `expected to start ${node}, found ${error.message}; is an installation under way? Wait for it, or run \`npm ci\`\n`,
    );
    process.exitCode = 5;
    return;
  }
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
