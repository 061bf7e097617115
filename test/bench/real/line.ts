import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Switch } from '@hephaisto/core/report/installation';
import { EMERGENCY_STOP } from '@hephaisto/core/switches/arms';
import type { PersonClient } from '../../../operator/src/demo/director/person.ts';
import { OPERATOR } from '../../../operator/src/demo/identity/operator-identity.ts';
import { CONFIG_MAPS } from '../../../operator/src/demo/kube-client/resource.ts';
import { type Actor, startActor } from '../../real/harness/casting.ts';
import { type RealCluster, WORLD_SPEED } from '../../real/harness/cluster.ts';
import { freshDatabase } from '../../real/harness/databases.ts';
import { answerWord, approve, awaitProposal, plantFault } from '../../real/harness/fault.ts';
import type { World } from '../../world/world.ts';
import { withoutRolloutWait } from '../fault-to-finding.ts';
import { SERVING_FLAGS } from './serving-flags.ts';

export interface LineFigures {
  /** Milliseconds from the write by which the API first shows the fault to the stored finding. */
  readonly findings: readonly number[];
  /** Milliseconds from the answer to the stop at one replica to the refusal of an approval at the other. */
  readonly refusals: readonly number[];
  /** Milliseconds from the API server's answer to the stop in the ConfigMap until both replicas say that it is in force. */
  readonly notices: readonly number[];
}

const RUNS = 12;
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
  const start = (name: string) =>
    startActor(
      world,
      cluster,
      { name, speed: WORLD_SPEED, database, adjust: withoutRolloutWait },
      { nodeFlags: SERVING_FLAGS },
    );
  const one = await start('bench-one');
  const other = await start('bench-other');
  try {
    const found = new Map<string, number>();
    const refusals: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const fault = await plantFault(cluster, 'bad-rollout', 'bench');
      try {
        found.set(fault.namespace, await findingAt(one, fault.namespace));
        refusals.push(await refusalAfterStop(one, other, fault.namespace));
        say(`run ${run + 1} of ${RUNS}: found, and refused after ${refusals.at(-1)?.toFixed(0)} ms`);
      } finally {
        await fault.remove();
      }
    }
    const notices: number[] = [];
    for (let run = 0; run < RUNS; run += 1) notices.push(await noticeOfStop(cluster, [one, other]));
    const signs = await firstSigns(cluster.auditLog);
    const findings = [...found].map(([namespace, at]) => {
      const sign = signs.get(namespace);
      if (sign === undefined)
        throw new Error(`expected the API server's log to show the fault in ${namespace}, found none`);
      return at - sign;
    });
    say(`found after ${findings.join(', ')} ms`);
    return { findings, refusals, notices };
  } finally {
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

/** From the write's answer to the later of the two, each asked over HTTP without a pause. */
async function noticeOfStop({ client }: RealCluster, replicas: readonly Actor[]): Promise<number> {
  const { namespace, configMap } = OPERATOR;
  const seenBy = (value: 'on' | 'off') =>
    Promise.all(
      replicas.map(async ({ people }) => {
        const end = Date.now() + LONGEST_WAIT_MS;
        while ((await stopOf(people.vic))?.effective !== value)
          if (Date.now() > end) throw new Error(`expected the stop to be ${value} at both replicas, found it is not`);
      }),
    );
  const path = `/data/${EMERGENCY_STOP}`;
  await client.patch(CONFIG_MAPS, namespace, configMap, [{ op: 'add', path, value: 'on' }]);
  const written = performance.now();
  try {
    await seenBy('on');
    return performance.now() - written;
  } finally {
    await client.patch(CONFIG_MAPS, namespace, configMap, [{ op: 'remove', path }]);
    await seenBy('off');
  }
}

async function stopOf(person: PersonClient): Promise<Switch | undefined> {
  const { items } = await person.get<{ items: readonly Switch[] }>('/api/v1/switches');
  return items.find(({ name }) => name === EMERGENCY_STOP);
}

/**
 * When the API server received the first write by which a container of each namespace had ended with an error or waited in its crash loop, by its
 * own log: a watch would add how busy its reader is, and make us look fast.
 */
async function firstSigns(auditLog: string): Promise<ReadonlyMap<string, number>> {
  const seen = new Map<string, number>();
  for await (const line of createInterface({ input: createReadStream(auditLog) })) {
    if (!line.includes('"resource":"pods"') || SIGN.test(line)) continue;
    const { objectRef, verb, requestReceivedTimestamp: at } = JSON.parse(line) as AuditLine;
    if (verb !== 'patch' && verb !== 'update') continue;
    const namespace = objectRef?.namespace ?? '';
    seen.set(namespace, Math.min(seen.get(namespace) ?? Number.POSITIVE_INFINITY, Date.parse(at)));
  }
  return seen;
}

/** A container that was told to end, with 137 or 143, is no fault. */
const SIGN = /CrashLoopBackOff|"exitCode":(?!0|137|143)\d/;

interface AuditLine {
  readonly verb: string;
  readonly requestReceivedTimestamp: string;
  readonly objectRef?: { readonly namespace?: string };
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
  const seen = (await stopOf(person))?.version ?? 0;
  const body = { value, reason: 'a measurement' };
  const answer = await person.put(`/api/v1/switches/${EMERGENCY_STOP}`, body, { 'if-match': `"${seen}"` });
  if (answer.status !== 200) throw new Error(`expected the stop to be ${value}, found ${answer.status}`);
}
