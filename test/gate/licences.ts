import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Violation } from './sources.ts';

/** Licences that may stand beside Apache-2.0 in what we ship. */
const ALLOWED = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'PostgreSQL',
  'Unlicense',
  'CC0-1.0',
  'Python-2.0',
  'CC-BY-4.0',
  'MIT-0',
  'Zlib',
  'W3C-20150513',
  'MPL-2.0',
  'OFL-1.1',
  'WTFPL',
  'PSF-2.0',
]);

export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
}

/** Node itself, packed for a platform; the packages repeat Node's MIT licence as a file where the field is missing. */
const NODE_ITSELF = /^node_modules\/node-(bin-)?(linux|darwin|win)-/;

/** Reads the lock file of the repository. */
export function readLock(root: string): Readonly<Record<string, LockedPackage>> {
  return (
    JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, LockedPackage> }
  ).packages;
}

/** Dependencies whose licence is missing or not on the list, and those that run a script when installed. */
export function judgeLicences(packages: Readonly<Record<string, LockedPackage>>): readonly Violation[] {
  return Object.entries(packages)
    .filter(
      ([path, locked]) =>
        path.startsWith('node_modules/') && locked.link !== true && !path.startsWith('node_modules/@hephaisto/'),
    )
    .flatMap(([path, locked]) => [...judgeLicence(path, locked.license), ...judgeScript(path, locked)]);
}

function judgeLicence(path: string, licence: string | undefined): Violation[] {
  if (licence === undefined && NODE_ITSELF.test(path)) return [];
  const words = (licence ?? '').replaceAll(/[()]/g, '').split(/\s+(?:OR|AND)\s+/);
  const isChoice = /\sOR\s/.test(licence ?? '');
  const good = isChoice ? words.some((word) => ALLOWED.has(word)) : words.every((word) => ALLOWED.has(word));
  return good
    ? []
    : [{ path, rule: 'licence', message: `expected one of the allowed licences, found \`${licence ?? 'none'}\`` }];
}

/**
 * Carry a script that the repository's `.npmrc` keeps from running, and work without it: a version notice, and a step of a source checkout.
 * fsevents is only ever installed on macOS, as an optional watcher of development tools.
 */
const WORKS_WITHOUT_ITS_SCRIPT = /^node_modules\/(protobufjs|@google\/genai|fsevents|.*\/fsevents)$/;

function judgeScript(path: string, locked: LockedPackage): Violation[] {
  return locked.hasInstallScript === true && !WORKS_WITHOUT_ITS_SCRIPT.test(path)
    ? [{ path, rule: 'install-script', message: 'runs a script at installation; choose a dependency that does not' }]
    : [];
}
