import { readAction } from '../../../operator/src/act/action-row.ts';
import { admit } from '../../../operator/src/act/admission.ts';
import { judge } from '../../../operator/src/act/judge.ts';
import { type World as ActingWorld, makeWorld, PATCH, testPolicy } from '../../../operator/src/act/testing/world.ts';
import { migrate } from '../../../operator/src/adapters/postgres/migrate.ts';
import { openPostgres } from '../../../operator/src/adapters/postgres/postgres.ts';
import { freshDatabase } from '../../real/harness/databases.ts';
import type { World } from '../../world/world.ts';
import { share } from './share.ts';

export interface AdmissionFigures {
  readonly admissions: number;
  readonly concurrent: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the first fifty, which open the connections and prepare the statements, the slowest. */
  readonly firstMs: number;
}

const CONCURRENT = 50;
const ROUNDS = 10;
const POOL = 20;

/** Fifty admissions at a time, each of a workload of its own, over one pool on PostgreSQL; the time of each includes waiting for a connection. */
export async function measureAdmission(world: World): Promise<AdmissionFigures> {
  const { url = '' } = await freshDatabase(world, 'pg');
  const db = openPostgres({ url, poolSize: POOL });
  try {
    await migrate(db);
    const budgets = { perHour: 100_000, perDay: 100_000, perNamespaceHour: 100_000 };
    const acting = await makeWorld(db, { policy: testPolicy({ budgets }) });
    const first = await admitAtOnce(acting, 'first');
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(...(await admitAtOnce(acting, String(round))));
    return {
      admissions: times.length,
      concurrent: CONCURRENT,
      p50Ms: share(times, 0.5),
      p99Ms: share(times, 0.99),
      firstMs: Math.max(...first),
    };
  } finally {
    await db.close();
  }
}

/** Milliseconds of each of fifty that start together. */
async function admitAtOnce(acting: ActingWorld, round: string): Promise<readonly number[]> {
  const ready: Awaited<ReturnType<typeof prepare>>[] = [];
  for (let n = 0; n < CONCURRENT; n += 1) ready.push(await prepare(acting, `app-${round}-${n}`));
  const times = await Promise.all(
    ready.map(async ({ actionId, judged }) => {
      const started = performance.now();
      const answer = await acting.db.transaction((tx) => admit(tx, acting.deps, { actionId, judged, approvedBy: [] }));
      if (answer.kind !== 'admitted') throw new Error(`expected an admission, found ${JSON.stringify(answer)}`);
      return performance.now() - started;
    }),
  );
  // What was admitted would count as under way and fill the room for the next ones.
  await acting.db.execute(`UPDATE actions SET state = 'Refused' WHERE state = 'Admitted'`);
  return times;
}

async function prepare(acting: ActingWorld, name: string) {
  const target = { kind: 'Deployment', namespace: 'shop', name, uid: `uid-${name}` };
  const template = structuredClone(acting.cluster.objects.get('deployments/shop/checkout') ?? {});
  acting.cluster.put('deployments', 'shop', name, {
    ...template,
    metadata: { ...(template.metadata as object), name, uid: target.uid },
  });
  const { actionId } = await acting.propose({ ...PATCH, workload: target, target });
  const action = await readAction(acting.db, actionId);
  if (action?.request === undefined) throw new Error('expected an action');
  const judged = await judge(acting.deps, { ...action, request: action.request });
  return { actionId, judged };
}
