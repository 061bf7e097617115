import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '@hephaisto/core/config/parse';
import type { Config, ConfigInput } from '@hephaisto/core/config/schema';
import { systemClock } from '../../operator/src/adapters/clock/clock.ts';
import { createIds } from '../../operator/src/adapters/ids/ids.ts';
import { ADMIN } from '../../operator/src/demo/cluster/simulated-cluster.ts';
import { demoInput, demoPolicy } from '../../operator/src/demo/demo-config.ts';
import { createOperatorIdentity, OPERATOR } from '../../operator/src/demo/identity/operator-identity.ts';
import { createPace } from '../../operator/src/demo/pace.ts';
import { playStory, startSimulatedWorld } from '../../operator/src/demo/stories/simulated-world.ts';
import { STORIES } from '../../operator/src/demo/stories/story-book.ts';
import { startOperator } from '../../operator/src/main.ts';

export interface FindingFigures {
  readonly runs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}

const SPEED = 30;
const LONGEST_WAIT_MS = 20_000;

/**
 * From the moment at which the API first shows a container waiting in CrashLoopBackOff to the moment at which the incident's grounded
 * finding is stored, on the simulated cluster and the embedded database; each run plays the bad rollout in a namespace of its own.
 */
export async function measureFaultToFinding(runs: number): Promise<FindingFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'hephaisto-bench-'));
  const pace = createPace(SPEED);
  const world = await startSimulatedWorld({
    pace,
    ids: createIds(systemClock),
    random: Math.random,
    onTrouble: () => {},
  });
  await createOperatorIdentity(world.cluster.kubeconfigFor(ADMIN));
  const { namespace, serviceAccount: name } = OPERATOR;
  const operator = await startOperator(configOf(folder, world.alertmanager.url), {
    kubeconfigYaml: world.cluster.kubeconfigFor({ serviceAccount: { namespace, name } }),
    policyText: demoPolicy(SPEED),
  });
  const visible = new Map<string, number>();
  const forget = world.cluster.store.subscribe({ group: '', version: 'v1', resource: 'pods' }, ({ object }) => {
    const { namespace: where = '' } = object.metadata;
    if (!visible.has(where) && JSON.stringify(object.status ?? {}).includes('CrashLoopBackOff'))
      visible.set(where, Date.now());
  });
  const times: number[] = [];
  try {
    for (let run = 0; run < runs; run += 1) {
      const where = `bad-rollout-bench${run}`;
      const story = await playStory({ ...world, pace }, STORIES['bad-rollout'], where);
      await story.played;
      times.push((await findingAt(where)) - (visible.get(where) ?? Number.NaN));
      await story.stop();
    }
  } finally {
    forget();
    await operator.close();
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { runs, p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) };

  async function findingAt(where: string): Promise<number> {
    const until = Date.now() + LONGEST_WAIT_MS;
    while (Date.now() < until) {
      const [row] = await operator.db.query<{ ended_at: Date }>(
        `SELECT v.ended_at FROM investigations v JOIN incidents i ON i.id = v.incident_id JOIN findings f ON f.investigation_id = v.id
         WHERE i.namespace = $1 AND f.status = 'grounded' AND f.is_primary AND v.ended_at IS NOT NULL ORDER BY v.ended_at LIMIT 1`,
        [where],
      );
      if (row !== undefined) return row.ended_at.getTime();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`expected a grounded finding in ${where} within ${LONGEST_WAIT_MS} ms, found none`);
  }
}

function configOf(folder: string, alertmanagerUrl: string): Config {
  const input = demoInput({
    port: 0,
    folder,
    speed: SPEED,
    alertmanagerUrl,
    webhookToken: 'bench-token-of-32-characters-000',
  });
  const parsed = parseConfig(withoutRolloutWait(input), {});
  if (parsed.kind === 'refused') throw new Error(`expected a valid configuration, found ${JSON.stringify(parsed)}`);
  return parsed.config;
}

/** Switches off `ingest.watch.rolloutCrash`, the configured wait for a rollout that may still succeed. It would hide how long the work itself takes. */
export function withoutRolloutWait(input: ConfigInput): ConfigInput {
  return { ...input, ingest: { ...input.ingest, watch: { ...input.ingest?.watch, rolloutCrash: '0s' } } };
}
