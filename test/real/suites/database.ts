import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context } from '../context.ts';
import { freshDatabase } from '../harness/databases.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const RUNNER = join(ROOT, 'test/run.ts');
const MIGRATOR = fileURLToPath(new URL('../database/migrate-process.ts', import.meta.url));
const MIGRATORS = 4;

/** The files whose tests name both databases themselves. */
const ON_BOTH = ['operator/src/adapters/postgres/**/*.it.test.ts', 'operator/src/act/races.it.test.ts'];
/** The files that ask for just any database: stages, commands, messages, acting, housekeeping, API. */
const ON_ANY = ['operator/src/{flow,commands,notify,act,wiring,api,investigate,model}/**/*.it.test.ts'];

/**
 * The same database tests on the real server as on the embedded one: each file again with the server behind it, and processes that migrate one
 * database at the same time.
 */
export async function runDatabase(context: Context): Promise<void> {
  const world = await context.world();
  const url = world.postgres?.url;
  if (url === undefined) throw new Error('expected a world with PostgreSQL; this is a bug in the test runner');
  const both = { HEPHAISTO_TEST_DATABASE_URL: url };
  await context.check('the database files hold on the embedded database and on PostgreSQL', () =>
    runFiles(context, ON_BOTH, both, join(world.folder, 'database-both.json')),
  );
  await context.check("the stages' and commands' files hold on PostgreSQL", () =>
    runFiles(
      context,
      ON_ANY,
      { ...both, HEPHAISTO_TEST_DATABASE_FOR_ALL: 'server' },
      join(world.folder, 'database-any.json'),
    ),
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
  const child = spawn(process.execPath, [RUNNER, '--counts', countsFile, ...patterns], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/tmp', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: context.signal,
  });
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
