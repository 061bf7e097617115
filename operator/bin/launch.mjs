// Plain JavaScript for the host's Node, 20 or newer: it runs before anything is installed. Installs what is missing, then runs one of the
// repository's commands on the pinned Node, whatever the host's is.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode, SERVING_FLAGS } from './find-node.mjs';
import { ensureInstalled } from './install.mjs';
import { startNode } from './start-node.mjs';
import { swallowedHint } from './swallowed.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Command name to the file that runs it. */
const COMMANDS = {
  demo: 'operator/src/demo/main.ts',
  sim: 'operator/src/demo/sim-main.ts',
  test: 'test/run.ts',
  verify: 'test/gate/verify.ts',
  stories: 'test/stories.ts',
  world: 'test/world/main.ts',
  'test:real': 'test/real/main.ts',
  'test:browser': 'test/browser/main.ts',
  bench: 'test/bench/main.ts',
  mutants: 'test/mutants/main.ts',
  generate: 'test/gate/regenerate.ts',
};

/** Variables that name a real cluster, database or account: the demo and the tests must never see them. */
const FOREIGN =
  /^(KUBECONFIG|KUBERNETES_(SERVICE|PORT).*|DATABASE_URL|PG[A-Z]+|.*_API_KEY|HEPHAISTO_(?!TEST_).*|OTEL_.*)$/;

process.exitCode = await main(process.argv[2], process.argv.slice(3));

async function main(command, args) {
  const file = COMMANDS[command];
  if (file === undefined)
    return fail(2, `expected one of ${Object.keys(COMMANDS).join(', ')}, found \`${command ?? 'nothing'}\``);
  if (Number(process.versions.node.split('.')[0]) < 20)
    return fail(5, `expected Node 20 or newer, found ${process.version}; install a newer one`);
  const hint = swallowedHint(command, args, process.env);
  if (hint !== undefined) process.stderr.write(`${hint}\n`);
  if (!ensureInstalled()) return 5;
  const node = findNode(ROOT);
  if (node === undefined)
    return fail(
      5,
      `expected Node 24 for ${process.platform} ${process.arch} in node_modules, found none; install Node 24 or newer and run this again`,
    );
  const flags = command === 'demo' ? SERVING_FLAGS : ['--disable-warning=ExperimentalWarning'];
  return run(node, [...flags, join(ROOT, file), ...args]);
}

function run(node, args) {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)));
  // Stripping types and compiling is a good part of a short process; both are the same from one start to the next.
  environment.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules', '.cache', 'node-compile');
  return startNode(node, args, environment);
}

function fail(code, message) {
  process.stderr.write(`${message}\n`);
  return code;
}
