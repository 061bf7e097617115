import { spawn } from 'node:child_process';

/** How often a command that npm started asks whether npm is still there. */
const PARENT_CHECK_MS = 500;

/**
 * Runs Node with these arguments on our own terminal and resolves to its exit code; to 5, with a sentence on stderr, when it cannot be started.
 * A signal that we get reaches it. A signal to npm does not reach us: npm and its shell end and leave us behind. So what npm started ends in order when
 * its parent is gone; otherwise port and data folder would stay taken.
 */
export async function startNode(node, args, env = process.env) {
  let child;
  try {
    child = spawn(node, args, { stdio: 'inherit', env });
  } catch (error) {
    // A binary that npm is still writing throws here instead of telling by an event.
    return notStarted(node, `${error.message}; is an installation under way? Wait for it, or run \`npm ci\``);
  }
  // The terminal sends Ctrl-C to the whole group; a signal sent to us alone must reach the child too.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => {});
  if (env.npm_lifecycle_event !== undefined) endWithParent(() => child.kill('SIGTERM'));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(notStarted(node, error.message)));
    child.on('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : 1)));
  });
}

function endWithParent(end) {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    end();
  }, PARENT_CHECK_MS);
  check.unref();
}

function notStarted(node, found) {
  process.stderr.write(`expected to start ${node}, found ${found}\n`);
  return 5;
}
