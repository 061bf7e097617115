import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@hephaisto/core/ports/database';
import { openPostgres } from '@hephaisto/operator/adapters/postgres/postgres';
import { runToEnd } from '../../world/child.ts';
import type { Postgres } from '../../world/postgres.ts';
import { playRun } from '../crashes/play-run.ts';
import type { Plot } from '../crashes/plot.ts';
import { PLOTS } from '../crashes/plots.ts';
import type { Running } from '../crashes/running.ts';
import type { DatabaseInput } from '../harness/databases.ts';

type PlayOptions = Parameters<typeof playRun>[0];

const HEALS = PLOTS.find(({ name }) => name === 'heals');

/** The story of an approved repair, with something done to the surroundings while it waits and while it acts. */
export async function healsAllTheSame(
  options: Pick<PlayOptions, 'database' | 'folder' | 'name' | 'adjust' | 'kubeconfig'> & {
    readonly policy?: Plot['policy'];
    readonly whileWaiting?: (run: Running) => Promise<void>;
    readonly whileActing?: (run: Running) => Promise<void>;
  },
): Promise<void> {
  if (HEALS === undefined) throw new Error('expected the story `heals`; this is a bug in the test runner');
  const { policy, whileWaiting, whileActing, ...rest } = options;
  const result = await playRun({
    ...rest,
    faults: [],
    plot: {
      ...HEALS,
      ...(policy === undefined ? {} : { policy }),
      async play(run) {
        await run.incident('checkout', 'AwaitingApproval');
        await whileWaiting?.(run);
        await run.approve('checkout');
        await whileActing?.(run);
        await run.incident('checkout', ['Resolved', 'Escalated']);
      },
    },
  });
  if (result.differences.length > 0) throw new Error(result.differences.join('\n'));
}

/** Stops and starts the server as an administrator would, and once more as a power cut would. */
export async function restartTwice(postgres: Postgres, signal: NodeJS.Signals): Promise<void> {
  await postgres.stop(signal);
  await sleep(1_000);
  await postgres.start();
}

/** Takes every connection that the server has, cuts the operator's, and gives them back after a while. */
export async function takeAllConnections(serverUrl: string, own: string, milliseconds: number): Promise<number> {
  const hog = openPostgres({ url: serverUrl, poolSize: 220, connectTimeoutMs: 20_000 });
  let held = 0;
  const sleeping = Array.from({ length: 220 }, () =>
    hog.query('SELECT pg_sleep($1)', [milliseconds / 1_000]).then(
      () => {
        held += 1;
      },
      () => undefined,
    ),
  );
  await sleep(milliseconds / 3);
  await cutConnections(serverUrl, own).catch(() => undefined);
  await Promise.all(sleeping);
  await hog.close();
  return held;
}

async function cutConnections(serverUrl: string, database: string): Promise<void> {
  const server = openPostgres({ url: serverUrl, poolSize: 1, connectTimeoutMs: 60_000 });
  try {
    await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database]);
  } finally {
    await server.close();
  }
}

/** Sets the database's clock for every connection that is opened from now on, and closes those that are open. */
export async function moveClock(serverUrl: string, database: DatabaseInput, offset: string): Promise<void> {
  const name = new URL(database.url ?? '').pathname.slice(1);
  const server: Database = openPostgres({ url: serverUrl, poolSize: 1 });
  try {
    await server.execute(`ALTER DATABASE ${name} SET hephaisto.clock_offset = '${offset}'`);
  } finally {
    await server.close();
  }
  await cutConnections(serverUrl, name);
}

/** A kubeconfig whose token lies in a file and is renewed there a little too late, again and again. */
export function renewedTooLate(folder: string): {
  readonly kubeconfig: NonNullable<PlayOptions['kubeconfig']>;
  renewals(): number;
  stop(): void;
} {
  const file = join(folder, 'renewed-token');
  const LIFE_SECONDS = 3;
  let renewals = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    kubeconfig(world, account) {
      const write = () => {
        renewals += 1;
        writeFileSync(file, world.cluster.mintToken(account, LIFE_SECONDS));
      };
      write();
      timer = setInterval(write, (LIFE_SECONDS + 1) * 1_000);
      return world.cluster
        .kubeconfigFor(account)
        .replace(/^(\s+)token: .*$/m, (_, indent: string) => `${indent}tokenFile: ${file}`);
    },
    renewals: () => renewals,
    stop: () => clearInterval(timer),
  };
}

const DISK_MIB = 160;

/** A small disk of its own where we may mount one; undefined where we may not. */
export function smallDisk(
  folder: string,
): { readonly path: string; fill(): void; free(): void; remove(): void } | undefined {
  const path = join(folder, 'small-disk');
  mkdirSync(path, { recursive: true });
  if (process.getuid?.() !== 0) return undefined;
  try {
    runToEnd('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', path]);
  } catch {
    return undefined;
  }
  const ballast = join(path, 'ballast');
  return {
    path,
    fill() {
      const { bavail, bsize } = statfsSync(path);
      try {
        writeFileSync(ballast, Buffer.alloc(bavail * bsize));
      } catch (error: unknown) {
        // Somebody else took the last of it first, which is as good.
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      }
    },
    free: () => rmSync(ballast, { force: true }),
    remove: () => void runToEnd('umount', ['-l', path]),
  };
}

/** Alerts until the disk is full and beyond: what was taken must be there once there is room again. */
export async function fillTheDisk(
  disk: NonNullable<ReturnType<typeof smallDisk>>,
  folder: string,
  say: (line: string) => void,
): Promise<void> {
  const taken: string[] = [];
  const result = await playRun({
    database: { kind: 'embedded', folder: join(disk.path, 'data') },
    folder,
    name: 'disk-full',
    faults: [],
    plot: {
      name: 'disk-full',
      mode: 'approve',
      points: [],
      ends: [],
      writes: 0,
      async play(run) {
        let n = 0;
        const tell = async (): Promise<boolean> => {
          const pods = Array.from({ length: 40 }, () => `flood-${n++}`);
          const ok = await run.tell(
            pods.map((pod) => ({
              alertname: 'KubePodNotReady',
              namespace: 'far',
              deployment: 'flood',
              pod,
              filler: 'x'.repeat(2_000),
            })),
          );
          if (ok) taken.push(...pods);
          return ok;
        };
        await run.until('the first alerts are taken', tell);
        disk.fill();
        let refused = 0;
        for (let tries = 0; tries < 400 && refused < 5; tries += 1) if (!(await tell())) refused += 1;
        if (refused === 0) throw new Error('expected alerts to be turned away on a full disk, found all of them taken');
        disk.free();
        let again = false;
        for (let tries = 0; tries < 20 && !again; tries += 1) {
          again = await tell();
          if (!again) await sleep(250);
        }
        say(
          `${taken.length} alerts taken, turned away while full; ${again ? 'it went on by itself' : 'it had to be started again'}`,
        );
        if (!again) await run.kill();
        await run.until('alerts are taken again', tell);
        await run.until(
          'all is settled',
          async () => (await run.rows(`SELECT 1 FROM intake WHERE status = 'Pending'`)).length === 0,
        );
        const kept = await run.rows<{ pod: string; n: number }>(
          `SELECT pod_name AS pod, count(*)::int AS n FROM signals WHERE owner_name = 'flood' GROUP BY pod_name`,
        );
        const names = new Set(kept.map(({ pod }) => pod));
        const lost = taken.filter((pod) => !names.has(pod));
        if (lost.length > 0 || kept.some((row) => row.n !== 1))
          throw new Error(`expected every alert that was taken once, found ${lost.length} lost of ${taken.length}`);
        await run.incident('flood', 'Escalated');
      },
    },
  });
  if (result.differences.length > 0) throw new Error(result.differences.join('\n'));
}
