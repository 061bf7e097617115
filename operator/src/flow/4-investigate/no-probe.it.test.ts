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
import { playStory, startSimulatedWorld } from '../../demo/stories/simulated-world.ts';
import type { Story } from '../../demo/stories/story.ts';
import { type WrongAddress, wrongAddressWorld } from '../../demo/stories/wrong-address.ts';
import { createDiagnostician } from '../../investigate/diagnostician.ts';
import { TOOLBOX } from '../../investigate/toolbox.ts';
import { CONFIG, underLease } from './bench.fixture.ts';
import { createInvestigateStage } from './stage.ts';

const FAULT: WrongAddress = {
  workload: 'web',
  image: 'web:1',
  replicas: 2,
  variable: 'BACKEND_URL',
  good: 'http://backend:8080',
  wrong: 'http://backend:8O80',
};
const NAMESPACE = 'no-probe';

/** Ready as soon as it runs, as a container without a readiness probe is, and gone after 0.7 s. */
function withoutProbe(): Story {
  const world = wrongAddressWorld(FAULT);
  const behaviours = world.behaviours.map((behaviour) => {
    const { probeOutput: _unused, ...run } = behaviour.run;
    if (run.exit === undefined || behaviour.workload !== FAULT.workload) return behaviour;
    const log = run.log?.map((line) => ({ ...line, at: Math.min(line.at, 0.5) })) ?? [];
    return { ...behaviour, run: { ...run, log, readyAfter: 0, exit: { ...run.exit, after: 0.7 } } };
  });
  return { ...badRollout, ...world, behaviours };
}

describe('a rollout of two replicas without a readiness probe that end after 0.7 seconds', { timeout: 120_000 }, () => {
  it('is found by the one investigation that begins at its first crash loop', async () => {
    await using db = await createTestDatabase();
    const deps = quietDeps(db);
    const pace = createPace(4);
    const simulated = await startSimulatedWorld({
      pace,
      ids: deps.ids,
      random: Math.random,
      onTrouble: () => undefined,
    });
    const kubeconfigYaml = simulated.cluster.kubeconfigFor(ADMIN);
    const connection = await openKubeConnection({ kubeconfigYaml, defaultTimeoutMs: 10_000, log: deps.log });
    const run = await playStory({ ...simulated, pace }, withoutProbe(), NAMESPACE);
    try {
      await run.played;
      const id = await insertIncident(db, { owner: FAULT.workload, namespace: NAMESPACE });
      await moveIncidentTo(db, id, 'Investigating');
      const reader = createKubeReader(connection);
      const stage = createInvestigateStage(
        {
          ...deps,
          requireEpoch,
          underLease: underLease(db, deps),
          investigator: createDiagnostician({ ...deps, withinMs: 10_000 }),
          tools: TOOLBOX,
          readerOf: () => reader,
        },
        CONFIG,
      );
      await stage.pass(new AbortController().signal);
      const primary = await db.query('SELECT rule FROM findings WHERE is_primary');
      assert.deepEqual(primary, [{ rule: 'rollout-change' }]);
    } finally {
      await run.stop();
      connection.close();
      await simulated.close();
    }
  });
});
