import { randomBytes } from 'node:crypto';
import { systemClock } from '../../../operator/src/adapters/clock/clock.ts';
import { createIds } from '../../../operator/src/adapters/ids/ids.ts';
import { ADMIN, startSimulatedCluster } from '../../../operator/src/demo/cluster/simulated-cluster.ts';
import { demoInput } from '../../../operator/src/demo/demo-config.ts';
import { createOperatorIdentity, OPERATOR } from '../../../operator/src/demo/identity/operator-identity.ts';
import { freshDatabase } from '../../real/harness/databases.ts';
import { startOperatorProcess } from '../../real/harness/operator.ts';
import { alert, webhookBody } from '../../src/alerts.ts';
import type { World } from '../../world/world.ts';
import { median } from '../intake.ts';
import { SERVING_FLAGS } from './serving-flags.ts';

export interface ReceiptFigures {
  readonly batch: number;
  /** Alerts a second until the sender is thanked. */
  readonly ours: number;
  readonly alertmanager: number;
}

const CONCURRENCY = 8;
const ROUNDS = 5;
/** Batch size to the number of posts in a round. */
const BATCHES: ReadonlyMap<number, number> = new Map([
  [1, 1_000],
  [100, 60],
]);

/**
 * The same alerts, posted to the operator, which answers once they are committed in PostgreSQL, and to Debian's Alertmanager, which keeps them
 * in memory: both from here, over HTTP, with as many senders, in alternating rounds. The operator settles what it took meanwhile.
 */
export async function measureReceipt(world: World): Promise<readonly ReceiptFigures[]> {
  const cluster = await startSimulatedCluster({ now: () => new Date(), ids: createIds(systemClock) });
  await createOperatorIdentity(cluster.kubeconfigFor(ADMIN));
  const token = randomBytes(24).toString('base64url');
  const input = demoInput({
    port: 0,
    folder: '',
    speed: 20,
    alertmanagerUrl: 'http://127.0.0.1:9',
    webhookToken: token,
  });
  const { namespace, serviceAccount: name } = OPERATOR;
  const operator = await startOperatorProcess({
    name: 'bench-intake',
    folder: world.folder,
    config: {
      ...input,
      database: await freshDatabase(world, 'pg'),
      server: { ...input.server, maxEventLoopDelay: '10m' },
    },
    nodeFlags: SERVING_FLAGS,
    kubeconfigYaml: cluster.kubeconfigFor({ serviceAccount: { namespace, name } }),
  });
  try {
    const toUs = { url: `${operator.url}/webhooks/alertmanager`, headers: { authorization: `Bearer ${token}` } };
    const toThem = { url: `${world.alertmanager?.url}/api/v2/alerts`, headers: {} };
    const figures: ReceiptFigures[] = [];
    for (const [batch, posts] of BATCHES) {
      const [ours, theirs]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round += 1) {
        const batches = Array.from({ length: posts }, (_, n) => alerts(`${batch}-${round}-${n}`, batch));
        ours.push(
          await rate(
            toUs,
            batches.map((each) => webhookBody(each)),
            batch,
          ),
        );
        theirs.push(
          await rate(
            toThem,
            batches.map((each) => Buffer.from(JSON.stringify(each.map(asPosted)))),
            batch,
          ),
        );
      }
      figures.push({ batch, ours: median(ours), alertmanager: median(theirs) });
    }
    return figures;
  } finally {
    await operator.stop();
    await cluster.close();
  }
}

function alerts(round: string, count: number) {
  return Array.from({ length: count }, (_, n) =>
    alert({
      labels: {
        alertname: 'KubePodCrashLooping',
        namespace: 'shop',
        deployment: `web-${n % 20}`,
        pod: `web-${round}-${n}`,
        severity: 'warning',
      },
      status: 'firing',
    }),
  );
}

function asPosted({ labels, annotations }: ReturnType<typeof alert>) {
  return { labels, annotations };
}

async function rate(
  to: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  bodies: readonly Uint8Array[],
  batch: number,
): Promise<number> {
  const queue = [...bodies];
  const started = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let body = queue.pop(); body !== undefined; body = queue.pop()) {
        const headers = { ...to.headers, 'content-type': 'application/json' };
        const answer = await fetch(to.url, { method: 'POST', headers, body: body as Uint8Array<ArrayBuffer> });
        if (!answer.ok)
          throw new Error(`expected ${to.url} to take alerts, found ${answer.status}: ${await answer.text()}`);
        await answer.arrayBuffer();
      }
    }),
  );
  return (bodies.length * batch * 1000) / (performance.now() - started);
}
