import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { WorldError } from './world-error.ts';

/** Debian packages with a file that shows that each is there. What ends in `-pip` may come from anywhere on the PATH. */
export const WORLD_PACKAGES = [
  { name: 'prometheus', present: () => existsSync('/usr/bin/prometheus') },
  { name: 'prometheus-alertmanager', present: () => existsSync('/usr/bin/prometheus-alertmanager') },
  { name: 'python3-pip', present: () => findPip() !== undefined },
] as const;

export type WorldPackage = (typeof WORLD_PACKAGES)[number]['name'];

/** pip's name on the PATH; undefined without one. */
export function findPip(): string | undefined {
  return ['pip', 'pip3'].find((name) => spawnSync(name, ['--version']).status === 0);
}

/** Debian's packages, installed where they are missing and we may. Throws WorldError where they cannot be had. */
export function ensurePackages(wanted: readonly WorldPackage[], say: (line: string) => void): void {
  const missing = WORLD_PACKAGES.filter(({ name, present }) => wanted.includes(name) && !present()).map(
    ({ name }) => name,
  );
  if (missing.length === 0) return;
  const names = missing.join(' ');
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) {
    throw new WorldError(`expected the Debian packages \`${names}\`, found them missing; install them with apt-get`);
  }
  say(`installing ${names}`);
  // Somebody else may be installing something at the same time.
  const patient = ['-o', 'DPkg::Lock::Timeout=300', '-qq'];
  spawnSync('apt-get', [...patient, 'update']);
  const result = spawnSync('apt-get', [...patient, 'install', '-y', '--no-install-recommends', ...missing], {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (result.status !== 0)
    throw new WorldError(
      `expected apt-get to install ${names}, found exit ${result.status}: ${result.stderr.trim().slice(-400)}`,
    );
}
