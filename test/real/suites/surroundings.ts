import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@hephaisto/test/verifies';
import { systemClock } from '../../../operator/src/adapters/clock/clock.ts';
import { createIds } from '../../../operator/src/adapters/ids/ids.ts';
import { ADMIN, startSimulatedCluster } from '../../../operator/src/demo/cluster/simulated-cluster.ts';
import { demoInput } from '../../../operator/src/demo/demo-config.ts';
import { createOperatorIdentity, OPERATOR } from '../../../operator/src/demo/identity/operator-identity.ts';
import type { World } from '../../world/world.ts';
import type { Context } from '../context.ts';
import { alertmanagerConfig } from '../harness/alerting.ts';
import { noteRequests } from '../harness/asked.ts';
import { freshDatabase } from '../harness/databases.ts';
import { startOperatorProcess } from '../harness/operator.ts';
import { until } from '../harness/until.ts';
import { burstsAndCuts, restartAndCompact, toldAllTheSame } from '../surroundings/control-plane.ts';
import {
  fillTheDisk,
  healsAllTheSame,
  moveClock,
  renewedTooLate,
  restartTwice,
  smallDisk,
  takeAllConnections,
} from '../surroundings/simulated.ts';

/** What an installation lives among, behaving as it sometimes does. */
export async function runSurroundings(context: Context): Promise<void> {
  verifies('H3-6', 'H4-20');
  const world = await context.world();
  const { postgres, folder } = world;
  if (postgres === undefined) throw new Error('expected a world with PostgreSQL; this is a bug in the test runner');

  await context.check(
    'PostgreSQL is restarted while a proposal waits, and killed while an action is carried out',
    async () =>
      healsAllTheSame({
        database: await freshDatabase(world, 'pg'),
        folder,
        name: 'database-restarts',
        whileWaiting: () => restartTwice(postgres, 'SIGINT'),
        whileActing: () => restartTwice(postgres, 'SIGKILL'),
      }),
  );
  await context.check('all connections of the server are taken and those of the operator cut', async () => {
    const database = await freshDatabase(world, 'pg');
    const name = new URL(database.url ?? '').pathname.slice(1);
    await healsAllTheSame({
      database: { ...database, poolSize: 2 },
      folder,
      name: 'pool-exhausted',
      whileWaiting: async () =>
        context.say(`${await takeAllConnections(postgres.url, name, 6_000)} connections were held`),
    });
  });
  await context.check("the database's clock moves by an hour, and back", async () => {
    const database = await freshDatabase(world, 'pg');
    await healsAllTheSame({
      database,
      folder,
      name: 'clock-moves',
      policy: { approvalTimeout: '7d' },
      async whileWaiting() {
        await moveClock(postgres.url, database, '1 hour');
        await sleep(2_500);
        await moveClock(postgres.url, database, '0');
        await sleep(2_500);
      },
    });
  });
  await context.check('a token expires and is renewed on disk, always a little too late', async () => {
    const token = renewedTooLate(folder);
    try {
      await healsAllTheSame({
        database: await freshDatabase(world, 'pg'),
        folder,
        name: 'token-expires',
        kubeconfig: token.kubeconfig,
        whileWaiting: () => sleep(9_000),
      });
    } finally {
      token.stop();
    }
    if (token.renewals() < 3)
      throw new Error(`expected the token to be renewed in the story, found ${token.renewals()} times`);
  });
  const disk = smallDisk(folder);
  if (disk === undefined)
    context.say('no disk can be mounted here, so a full one under the embedded database is not tried');
  else
    await context
      .check('the disk under the embedded database is full for a while', () => fillTheDisk(disk, folder, context.say))
      .finally(() => disk.remove());
  await context.check('Alertmanager tries again after 503 until its alerts are stored', () =>
    alertmanagerRetries(world),
  );
  await context.check('the API server is restarted and its store compacted while no watch gets through', () =>
    toldAllTheSame(context, 'restart', () => restartAndCompact(context)),
  );
  await context.check('bursts of 429 and 5xx, watches cut in the middle of a line', () =>
    toldAllTheSame(context, 'bursts', (signal) => burstsAndCuts(context, signal)),
  );
}

const ALERTS = 30;

/** The database is away when the real Alertmanager first sends; what it was told must come in by its own retries. */
async function alertmanagerRetries(world: World): Promise<void> {
  const { alertmanager, postgres, folder } = world;
  if (alertmanager === undefined || postgres === undefined) throw new Error('expected a world with Alertmanager');
  const cluster = await startSimulatedCluster({ now: () => new Date(), ids: createIds(systemClock) });
  noteRequests(cluster.requests);
  await createOperatorIdentity(cluster.kubeconfigFor(ADMIN));
  const token = randomBytes(24).toString('base64url');
  const input = demoInput({ port: 0, folder: '', speed: 20, alertmanagerUrl: alertmanager.url, webhookToken: token });
  const operator = await startOperatorProcess({
    name: 'alertmanager-retries',
    folder,
    config: {
      ...input,
      database: await freshDatabase(world, 'pg'),
      server: { ...input.server, maxEventLoopDelay: '10m' },
    },
    kubeconfigYaml: cluster.kubeconfigFor({
      serviceAccount: { namespace: OPERATOR.namespace, name: OPERATOR.serviceAccount },
    }),
  });
  let started = true;
  try {
    await alertmanager.configure(alertmanagerConfig([{ name: 'retries', url: operator.url, token }], 10));
    await postgres.stop('SIGKILL');
    started = false;
    const alerts = Array.from({ length: ALERTS }, (_, n) => ({
      labels: { alertname: `Retried${n % 3}`, namespace: 'shop', deployment: `web-${n}`, severity: 'warning' },
    }));
    const posted = await fetch(`${alertmanager.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts),
    });
    if (!posted.ok) throw new Error(`expected Alertmanager to take the alerts, found ${posted.status}`);
    await sleep(8_000);
    await postgres.start();
    started = true;
    await until(
      'every alert has come',
      async () => {
        const [row] = await operator.query<{ n: number }>(
          `SELECT count(DISTINCT owner_name)::int AS n FROM signals WHERE source = 'alertmanager'`,
        );
        return row?.n === ALERTS;
      },
      90,
      500,
    );
  } finally {
    if (!started) await postgres.start();
    await operator.stop();
    await cluster.close();
    await alertmanager.configure(alertmanagerConfig([], 1));
  }
}
