#!/usr/bin/env node
// Plain JavaScript for the host's Node, 20 or newer: starts the command line on a Node that runs TypeScript as it is.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode, SERVING_FLAGS } from './find-node.mjs';
import { ensureInstalled } from './install.mjs';
import { startNode } from './start-node.mjs';
import { swallowedHint } from './swallowed.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ENTRY = join(ROOT, 'operator/src/cli/hephaisto.ts');

const args = process.argv.slice(2);
const hint = swallowedHint('hephaisto', args, process.env);
if (hint !== undefined) process.stderr.write(`${hint}\n`);

// An installed copy has no lock file beside it, and nothing of its own to install.
const ready = !existsSync(join(ROOT, 'package-lock.json')) || ensureInstalled();
const node = ready ? findNode(ROOT) : undefined;
if (!ready) process.exitCode = 5;
else if (node === undefined) {
  process.stderr.write(
    `expected Node 24 for ${process.platform} ${process.arch}, found ${process.version}; run \`npm ci\` or install Node 24 or newer\n`,
  );
  process.exitCode = 5;
} else process.exitCode = await startNode(node, [...SERVING_FLAGS, ENTRY, ...args]);
