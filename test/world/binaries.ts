import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binariesFolder, CLUSTER_MODULE } from './places.ts';
import { WorldError } from './world-error.ts';

const VERSION = 'v1.36.3';
const LINK = [
  '-s -w',
  `-X k8s.io/component-base/version.gitVersion=${VERSION}`,
  '-X k8s.io/component-base/version.gitMajor=1',
  '-X k8s.io/component-base/version.gitMinor=36',
].join(' ');

/** What is built, in the order in which it is needed. */
const PACKAGES = [
  ['cluster', '.'],
  ['kubectl', 'k8s.io/kubernetes/cmd/kubectl'],
  ['kwok', 'sigs.k8s.io/kwok/cmd/kwok'],
  ['helm', 'helm.sh/helm/v4/cmd/helm'],
] as const;

export type Binary = (typeof PACKAGES)[number][0];

/**
 * Paths of the control plane's binaries, built from source where they are not in the cache yet: minutes on two cores the first time.
 * Throws WorldError when there is no Go or the build fails.
 */
export async function controlPlaneBinaries(say: (line: string) => void): Promise<Readonly<Record<Binary, string>>> {
  const folder = binariesFolder();
  if (!existsSync(folder)) await build(folder, say);
  return Object.fromEntries(PACKAGES.map(([name]) => [name, join(folder, name)])) as Record<Binary, string>;
}

async function build(folder: string, say: (line: string) => void): Promise<void> {
  if (spawnSync('go', ['version']).status !== 0) {
    throw new WorldError(
      'expected Go 1.26 or newer to build the control plane, found none on the PATH; install it from go.dev or your distribution',
    );
  }
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const release = await takeTurn(`${folder}.building`, say);
  try {
    if (existsSync(folder)) return;
    for (const [name, path] of PACKAGES) {
      say(`building ${name} from source`);
      await goBuild(join(unfinished, name), path, (seconds) => say(`building ${name} from source: ${seconds} s`));
    }
    if (!existsSync(folder)) renameSync(unfinished, folder);
  } finally {
    release();
    rmSync(unfinished, { recursive: true, force: true });
  }
}

const LOOK_MS = 1_000;

/** One build at a time: two would take as long each as both after another. Takes over from a process that is gone. */
async function takeTurn(file: string, say: (line: string) => void): Promise<() => void> {
  for (let waited = 0; ; waited += 1) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error: unknown) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    if (!isAlive(file)) rmSync(file, { force: true });
    else if (waited % 20 === 0) say('waiting for another process that builds the control plane');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function isAlive(file: string): boolean {
  try {
    const pid = readFileSync(file, 'utf8');
    return pid === '' || existsSync(`/proc/${pid}`);
  } catch {
    return true;
  }
}

function goBuild(output: string, path: string, tick: (seconds: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('go', ['build', '-trimpath', '-ldflags', LINK, '-o', output, path], {
      cwd: CLUSTER_MODULE,
      env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const started = Date.now();
    const timer = setInterval(() => tick(Math.round((Date.now() - started) / 1000)), 20_000);
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-2000);
    });
    child.on('error', (error) => reject(new WorldError(`expected to run go build, found ${error.message}`)));
    child.on('close', (code) => {
      clearInterval(timer);
      if (code === 0) resolve();
      else
        reject(new WorldError(`expected go build of \`${path}\` to succeed, found exit ${code}: ${complaint.trim()}`));
    });
  });
}
