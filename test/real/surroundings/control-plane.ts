import { setTimeout as sleep } from 'node:timers/promises';
import { createPace } from '../../../operator/src/demo/pace.ts';
import { STORIES } from '../../../operator/src/demo/stories/story-book.ts';
import type { ProxyRule } from '../../world/proxy.ts';
import type { Context } from '../context.ts';
import { alertmanagerConfig, prometheusTo } from '../harness/alerting.ts';
import { startActor } from '../harness/casting.ts';
import { WORLD_SPEED } from '../harness/cluster.ts';
import { freshDatabase } from '../harness/databases.ts';
import { playOnReal } from '../harness/story-run.ts';

const WATCHES = '[?&]watch=(true|1)';

/** A story on the real control plane that goes as told although the surroundings do not. `disturb` runs beside it. */
export async function toldAllTheSame(
  context: Context,
  name: string,
  disturb: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const world = await context.world();
  const cluster = await context.cluster();
  const part = world.alertmanager;
  if (part === undefined || world.proxy === undefined)
    throw new Error('expected a world with Alertmanager and a proxy');
  const namespace = `bad-rollout-${name}-${Date.now().toString(36).slice(-4)}`;
  const actor = await startActor(world, cluster, {
    name,
    speed: WORLD_SPEED,
    database: await freshDatabase(world, 'pg'),
  });
  const over = new AbortController();
  try {
    const { url } = actor.operator;
    await part.configure(alertmanagerConfig([{ name, url, token: actor.token, namespaces: [namespace] }], WORLD_SPEED));
    const disturbing = disturb(over.signal);
    const { differences } = await playOnReal({
      cluster,
      actor,
      alertmanager: prometheusTo(part, (error) => context.say(String(error))),
      pace: createPace(WORLD_SPEED),
      story: STORIES['bad-rollout'],
      namespace,
      signal: context.signal,
      say: () => undefined,
    });
    over.abort();
    await disturbing;
    if (differences.length > 0) throw new Error(differences.join('\n'));
  } finally {
    over.abort();
    world.proxy.setRules([]);
    await actor.operator.stop();
    await part.configure(alertmanagerConfig([], 1));
  }
}

/** While no watch gets through, the API server is started anew and the store forgets its past: every watch must begin again. */
export async function restartAndCompact(context: Context): Promise<void> {
  const { proxy, controlPlane } = await context.world();
  if (proxy === undefined || controlPlane === undefined) throw new Error('expected a world with a cluster');
  await sleep(6_000);
  proxy.setRules([{ id: 'no-watch', url: WATCHES, effect: { do: 'drop' } }]);
  await controlPlane.restartApiServer();
  await compactStore(controlPlane.etcdUrl);
  await sleep(2_000);
  proxy.setRules([]);
}

async function compactStore(etcdUrl: string): Promise<void> {
  const status = (await etcd(etcdUrl, '/v3/maintenance/status', {})) as { header: { revision: string } };
  await etcd(etcdUrl, '/v3/kv/compaction', { revision: status.header.revision, physical: true });
}

async function etcd(etcdUrl: string, path: string, body: object): Promise<unknown> {
  const answer = await fetch(`${etcdUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`expected etcd to answer ${path}, found ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Reads are turned away in bursts, and watches end in the middle of a line, for as long as the story takes. */
export async function burstsAndCuts(context: Context, signal: AbortSignal): Promise<void> {
  const { proxy } = await context.world();
  for (let burst = 0; !signal.aborted; burst += 1) {
    proxy?.setRules(burst % 2 === 0 ? TROUBLE : []);
    await sleep(3_000, undefined, { signal }).catch(() => undefined);
  }
  proxy?.setRules([]);
}

function answered(id: string, status: number, reason: string, times: number): ProxyRule {
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason,
    message: reason,
    code: status,
  });
  return { id, method: 'GET', times, effect: { do: 'answer', status, headers: { 'retry-after': '1' }, body } };
}

const TROUBLE: readonly ProxyRule[] = [
  { id: 'mid-line', url: WATCHES, times: 20, effect: { do: 'cut-after', bytes: 700 } },
  answered('busy', 429, 'TooManyRequests', 4),
  answered('unwell', 503, 'ServiceUnavailable', 3),
  answered('broken', 500, 'InternalError', 3),
];
