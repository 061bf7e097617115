import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestDatabase } from '@hephaisto/test/database';
import { insertIncident, moveIncidentTo } from '@hephaisto/test/incident-rows';
import { quietDeps } from '@hephaisto/test/stage-deps';
import { openKubeConnection } from '../../adapters/kube/connection.ts';
import { createKubeReader } from '../../adapters/kube/reader.ts';
import { requireEpoch } from '../../adapters/postgres/leases.ts';
import { ADMIN } from '../../demo/cluster/simulated-cluster.ts';
import { createPace } from '../../demo/pace.ts';
import { badRollout } from '../../demo/stories/bad-rollout.ts';
import { app } from '../../demo/stories/manifests.ts';
import { playStory, startSimulatedWorld } from '../../demo/stories/simulated-world.ts';
import type { Story } from '../../demo/stories/story.ts';
import { createDiagnostician } from '../../investigate/diagnostician.ts';
import { TOOLBOX } from '../../investigate/toolbox.ts';
import { CONFIG, underLease } from './bench.fixture.ts';
import { createInvestigateStage } from './stage.ts';

const NAMESPACE = 'unready';
/** A process that has run for less is still starting. */
const LATER_MS = 60_000;

/** Two replicas that were ready and then fail their probe, without a change, and a Service that selects nobody. */
const UNREADY: Story = {
  ...badRollout,
  behaviours: [
    {
      workload: 'web',
      when: { kind: 'always' },
      run: {
        readyAfter: 1,
        unready: [{ from: 10, to: 10_000 }],
        probeOutput: 'HTTP probe failed with statuscode: 503',
      },
    },
  ],
  timeline: [
    {
      do: 'apply',
      note: 'a workload and a Service without pods',
      manifests: [
        ...app({ name: 'web', image: 'web:1', replicas: 2, env: [], memoryLimit: '64Mi', memoryRequest: '32Mi' }),
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'lonely' },
          spec: { selector: { app: 'nobody' }, ports: [{ port: 80 }] },
        },
      ],
    },
    {
      do: 'wait-until',
      note: 'all are ready',
      until: { kind: 'ready-pods', workload: 'web', count: 2 },
      withinSeconds: 60,
    },
    {
      do: 'wait-until',
      note: 'none is ready',
      until: { kind: 'ready-pods', workload: 'web', count: 0 },
      withinSeconds: 120,
    },
  ],
};

describe('in the simulated cluster', { timeout: 120_000 }, () => {
  it('pods that fail their probe and a Service that selects nobody each get a finding that says so', async () => {
    await using db = await createTestDatabase();
    const quiet = quietDeps(db);
    const clock = { ...quiet.clock, now: () => new Date(quiet.clock.now().getTime() + LATER_MS) };
    const pace = createPace(4);
    const simulated = await startSimulatedWorld({
      pace,
      ids: quiet.ids,
      random: Math.random,
      onTrouble: () => undefined,
    });
    const kubeconfigYaml = simulated.cluster.kubeconfigFor(ADMIN);
    const connection = await openKubeConnection({ kubeconfigYaml, defaultTimeoutMs: 10_000, log: quiet.log });
    const run = await playStory({ ...simulated, pace }, UNREADY, NAMESPACE);
    try {
      await run.played;
      const pods = await insertIncident(db, { owner: 'web', namespace: NAMESPACE });
      const alone = await insertIncident(db, { owner: 'lonely', namespace: NAMESPACE });
      await db.execute(`UPDATE incidents SET owner_kind = 'Service' WHERE id = $1`, [alone]);
      for (const id of [pods, alone]) await moveIncidentTo(db, id, 'Investigating');
      const reader = createKubeReader(connection);
      const stage = createInvestigateStage(
        {
          ...quiet,
          clock,
          requireEpoch,
          underLease: underLease(db, quiet),
          investigator: createDiagnostician(),
          tools: TOOLBOX,
          readerOf: () => reader,
        },
        CONFIG,
      );
      await stage.pass(new AbortController().signal);
      await stage.pass(new AbortController().signal);
      const found = await db.query<{ rule: string; statement: string }>(
        'SELECT rule, statement FROM findings WHERE is_primary ORDER BY rule',
      );
      assert.deepEqual(
        found.map(({ rule }) => rule),
        ['pods-not-ready', 'unmatched-selector'],
      );
      assert.match(
        found[0]?.statement ?? '',
        /2 of 2 pods .*“Readiness probe failed: HTTP probe failed with statuscode: 503”/,
      );
      assert.match(found[1]?.statement ?? '', /“app=nobody” matches no pod/);
    } finally {
      await run.stop();
      connection.close();
      await simulated.close();
    }
  });
});
