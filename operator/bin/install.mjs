// Plain JavaScript for the host's Node, 20 or newer: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Installs the packages unless they are there. False, with a sentence on stderr, when that failed. */
export function ensureInstalled() {
  return isInstalled() || install();
}

/** The lock file that npm leaves in node_modules is at least as new as ours exactly when an installation has succeeded since it changed. */
function isInstalled() {
  const hidden = join(ROOT, 'node_modules', '.package-lock.json');
  if (!existsSync(hidden)) return false;
  if (statSync(hidden).mtimeMs >= statSync(join(ROOT, 'package-lock.json')).mtimeMs) return true;
  return sameVersions(
    JSON.parse(readFileSync(hidden, 'utf8')).packages,
    JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages,
  );
}

function sameVersions(installed, wanted) {
  return Object.entries(wanted).every(
    ([path, entry]) =>
      !path.startsWith('node_modules/') || entry.optional || entry.link || installed[path]?.version === entry.version,
  );
}

function install() {
  process.stderr.write('installing packages (once; this takes about a minute) …\n');
  const started = Date.now();
  const result = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (result.status !== 0) {
    process.stderr.write(
      'expected `npm ci` to install the packages, found that it failed; is the npm registry reachable?\n',
    );
    return false;
  }
  process.stderr.write(`installed in ${Math.round((Date.now() - started) / 1000)} s\n`);
  return true;
}
