import { setTimeout as sleep } from 'node:timers/promises';
import type { Switch } from '@hephaisto/core/report/installation';
import { PODS } from '../../../operator/src/demo/kube-client/resource.ts';
import { type Actor, startActor } from '../../real/harness/casting.ts';
import { type RealCluster, WORLD_SPEED } from '../../real/harness/cluster.ts';
import { freshDatabase } from '../../real/harness/databases.ts';
import { answerWord, approve, awaitProposal, plantFault } from '../../real/harness/fault.ts';
import type { World } from '../../world/world.ts';

export interface LineFigures {
  /** Milliseconds from the fault as the API first shows it to the stored finding. */
  readonly findings: readonly number[];
  /** Milliseconds from the answer to the stop at one replica to the refusal of an approval at the other. */
  readonly refusals: readonly number[];
}

const RUNS = 6;
const LONGEST_WAIT_MS = 60_000;

/**
 * Two replicas on the real control plane and one PostgreSQL. The same broken rollouts are found by them, then approved at one right after the
 * stop was pulled at the other.
 */
export async function measureLine(
  world: World,
  cluster: RealCluster,
  say: (line: string) => void,
): Promise<LineFigures> {
  const database = await freshDatabase(world, 'pg');
  const start = (name: string) => startActor(world, cluster, { name, speed: WORLD_SPEED, database });
  const one = await start('bench-one');
  const other = await start('bench-other');
  const watching = new AbortController();
  const visible = followCrashes(cluster, watching.signal);
  try {
    const findings: number[] = [];
    const refusals: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const fault = await plantFault(cluster, 'bad-rollout', 'bench');
      try {
        const found = await findingAt(one, fault.namespace);
        findings.push(found - (visible.get(fault.namespace) ?? Number.NaN));
        refusals.push(await refusalAfterStop(one, other, fault.namespace));
        say(
          `run ${run + 1} of ${RUNS}: found after ${findings.at(-1)} ms, refused after ${refusals.at(-1)?.toFixed(0)} ms`,
        );
      } finally {
        await fault.remove();
      }
    }
    return { findings, refusals };
  } finally {
    watching.abort();
    await one.operator.stop();
    await other.operator.stop();
  }
}

/** The stop withdraws whatever waits for a person, so each measurement needs a proposal of its own. */
async function refusalAfterStop(one: Actor, other: Actor, namespace: string): Promise<number> {
  const shown = await awaitProposal(other.people.vic, namespace);
  await setStop(one, 'rui', 'on');
  try {
    const setAt = performance.now();
    const answer = answerWord(await approve(other.people.ana, shown));
    if (!answer.startsWith('409')) throw new Error(`expected a refusal, found ${answer}`);
    return performance.now() - setAt;
  } finally {
    await setStop(one, 'ada', 'off');
  }
}

/** When each namespace's first container was seen in its crash loop, from a watch of the API. */
function followCrashes({ client }: RealCluster, signal: AbortSignal): ReadonlyMap<string, number> {
  const seen = new Map<string, number>();
  const follow = async () => {
    while (!signal.aborted) {
      const { resourceVersion } = await client.list(PODS);
      for await (const event of client.watch(PODS, resourceVersion, { signal })) {
        if (event.type === 'ERROR') break;
        const { namespace = '' } = event.object.metadata;
        if (!seen.has(namespace) && JSON.stringify(event.object).includes('CrashLoopBackOff'))
          seen.set(namespace, Date.now());
      }
    }
  };
  void follow().catch(() => undefined);
  return seen;
}

async function findingAt({ operator }: Actor, namespace: string): Promise<number> {
  const end = Date.now() + LONGEST_WAIT_MS;
  while (Date.now() < end) {
    const [row] = await operator.query<{ ended_at: string }>(
      `SELECT v.ended_at FROM investigations v JOIN incidents i ON i.id = v.incident_id JOIN findings f ON f.investigation_id = v.id
       WHERE i.namespace = $1 AND f.status = 'grounded' AND f.is_primary AND v.ended_at IS NOT NULL ORDER BY v.ended_at LIMIT 1`,
      [namespace],
    );
    if (row !== undefined) return new Date(row.ended_at).getTime();
    await sleep(50);
  }
  throw new Error(`expected a grounded finding in ${namespace} within ${LONGEST_WAIT_MS} ms, found none`);
}

async function setStop({ people }: Actor, who: 'rui' | 'ada', value: 'on' | 'off'): Promise<void> {
  const person = people[who];
  const { items } = await person.get<{ items: readonly Switch[] }>('/api/v1/switches');
  const seen = items.find(({ name }) => name === 'emergency_stop')?.version ?? 0;
  const body = { value, reason: 'a measurement' };
  const answer = await person.put('/api/v1/switches/emergency_stop', body, { 'if-match': `"${seen}"` });
  if (answer.status !== 200) throw new Error(`expected the stop to be ${value}, found ${answer.status}`);
}
