import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifies } from '@hephaisto/test/verifies';
import type { Context } from '../context.ts';
import { freshDatabase } from '../harness/databases.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const RUNNER = join(ROOT, 'test/run.ts');
const MIGRATOR = fileURLToPath(new URL('../database/migrate-process.ts', import.meta.url));
const MIGRATORS = 4;

/**
 * Every file whose tests need a database: what the database itself promises, and the stages, commands, messages and doors that rest on it.
 * The races have a suite of their own.
 */
const FILES = [
  'operator/src/adapters/postgres/{database,invariants,leases,migrate,schema-files}.it.test.ts',
  'operator/src/{flow,commands,notify,act,wiring,api,investigate,model}/**/!(races).it.test.ts',
];

/**
 * The same database tests on the real server as `npm test` runs on the embedded one (`--db pglite` runs those), and processes that migrate one
 * database at the same time.
 */
export async function runDatabase(context: Context): Promise<void> {
  verifies('H3-19', 'H3-26', 'H3-152', 'H3-198');
  const world = await context.world();
  const url = world.postgres?.testUrl;
  if (url === undefined) throw new Error('expected a world with PostgreSQL; this is a bug in the test runner');
  const server = { HEPHAISTO_TEST_DATABASE_URL: url, HEPHAISTO_TEST_DATABASE_FOR_ALL: 'server' };
  await context.check(
    `every file of database tests holds on ${context.db === 'pglite' ? 'PGlite' : 'PostgreSQL'}`,
    () => runFiles(context, FILES, context.db === 'pglite' ? {} : server, join(world.folder, 'database.json')),
  );
  await context.check(
    `${MIGRATORS} processes that migrate one empty database at once all succeed, each migration once`,
    async () => {
      const database = await freshDatabase(world, 'pg');
      const applied = await Promise.all(Array.from({ length: MIGRATORS }, () => migrateInProcess(database.url ?? '')));
      const names = applied.flat();
      if (names.length === 0 || new Set(names).size !== names.length)
        throw new Error(`expected each migration to be applied once, found ${names.join(', ') || 'none'}`);
      const again = await migrateInProcess(database.url ?? '');
      if (again.length > 0) throw new Error(`expected nothing to be left to migrate, found ${again.join(', ')}`);
    },
  );
}

async function runFiles(
  context: Context,
  patterns: readonly string[],
  environment: Readonly<Record<string, string>>,
  countsFile: string,
): Promise<void> {
  const files = globSync([...patterns], { cwd: ROOT }).length;
  const output: string[] = [];
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', '--', process.execPath, RUNNER, '--counts', countsFile, ...patterns],
    {
      cwd: ROOT,
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/tmp', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: context.signal,
    },
  );
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const counts = existsSync(countsFile)
    ? (JSON.parse(readFileSync(countsFile, 'utf8')) as { passed: number; failed: number })
    : { passed: 0, failed: 0 };
  context.say(`${files} files: ${counts.passed} passed, ${counts.failed} failed`);
  if (code !== 0 || counts.passed === 0) throw new Error(output.join('').trim().split('\n').slice(-40).join('\n'));
}

/** Names of the migrations that a process of its own applied. */
async function migrateInProcess(url: string): Promise<readonly string[]> {
  const child = spawn(process.execPath, [MIGRATOR], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '' },
  });
  let told = '';
  let complaint = '';
  child.stdout.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  child.stdin.end(url);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`expected the migration to succeed, found exit ${code}: ${complaint.slice(-800)}`);
  return JSON.parse(told) as string[];
}
