import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Route } from '@hephaisto/core/delivery/route';
import { crashed, pod, replicaSet, type World } from '@hephaisto/core/diagnose/case.fixture';
import type { EscalationReason } from '@hephaisto/core/incident/machine';
import { insertSignal } from '@hephaisto/test/incident-rows';
import { drain } from '@hephaisto/test/stage-deps';
import { deriveDeliveries } from '../incident-log/deliveries.ts';
import { type Bench, bench } from './bench.fixture.ts';

const ROUTE: Route = {
  name: 'crew',
  channel: 'webhook',
  recipient: 'crew',
  states: ['Escalated'],
  severities: [],
  namespaces: [],
  onUnknown: 'resend',
};
const never = new AbortController().signal;
const REOPEN = { agentMode: () => 'observe', pauseMs: 1 };

/** At the first investigation one pod crashes and its sibling has run for long; a moment later both crash. */
function flipping(): { readonly world: World; flip(): void } {
  const log = 'error invalid URL: cannot parse "db:54e2"';
  const revisions = [
    replicaSet(1, { env: [{ name: 'URL', value: 'db:5432' }] }),
    replicaSet(2, { env: [{ name: 'URL', value: 'db:54e2' }] }),
  ];
  const pods = [pod('new-1', { revision: 2, ready: false, status: crashed() }), pod('new-2', { revision: 2 })];
  return {
    world: { pods, replicaSets: revisions, logs: { 'new-1': log, 'new-2': log } },
    flip: () => void pods.splice(1, 1, pod('new-2', { revision: 2, ready: false, status: crashed() })),
  };
}

async function escalate({ db, deps }: Bench, incidentId: string, reason: EscalationReason = 'NoPlanProduced') {
  await db.transaction((tx) =>
    deps.incidents.transition(tx, {
      incidentId,
      edge: 'I6',
      reason: 'test',
      actor: 'service:hephaisto/planner',
      origin: 'core',
      escalationReason: reason,
    }),
  );
}

/** A signal of the incident fires again, as the watch tells of further restarts. */
async function hear({ db }: Bench, incidentId: string): Promise<void> {
  await db.execute(`UPDATE incidents SET last_signal_at = app_now() WHERE id = $1`, [incidentId]);
}

async function hearOfAnotherKind(b: Bench, incidentId: string): Promise<void> {
  const signal = await insertSignal(b.db, { incidentId, namespace: 'shop' });
  await b.db.execute(`UPDATE signals SET kind = 'ReplicaMismatch' WHERE id = $1`, [signal]);
  await hear(b, incidentId);
}

const reasons = async ({ db }: Bench): Promise<readonly string[]> =>
  (await db.query<{ reason: string }>(`SELECT reason FROM incident_events WHERE edge = 'I17' ORDER BY seq`)).map(
    ({ reason }) => reason,
  );

describe('investigating again without being asked', { timeout: 120_000 }, () => {
  it('later restarts that change the cause lead to another investigation, which finds it', async () => {
    const { world, flip } = flipping();
    await bench(world, async (b) => {
      const id = await b.incident();
      const stage = b.replica({ reopen: REOPEN });
      await stage.pass(never);
      await escalate(b, id);
      flip();
      await hear(b, id);
      await drain(b.replica({ reopen: REOPEN }));
      assert.deepEqual(await reasons(b), ['facts-changed']);
      const primary = await b.db.query(
        `SELECT f.rule FROM findings f JOIN investigations n ON n.id = f.investigation_id WHERE f.is_primary ORDER BY n.attempt`,
      );
      assert.deepEqual(
        primary.map(({ rule }) => rule),
        ['bad-replica', 'rollout-change'],
      );
    });
  });

  it('more of the same leads to none', async () => {
    const { world } = flipping();
    await bench(world, async (b) => {
      const id = await b.incident();
      await b.replica().pass(never);
      await escalate(b, id);
      await hear(b, id);
      await drain(b.replica({ reopen: REOPEN }));
      assert.deepEqual(await reasons(b), []);
    });
  });

  it('evidence of another kind leads to another, three times at most', async () => {
    const { world } = flipping();
    await bench(world, async (b) => {
      const id = await b.incident();
      await b.replica().pass(never);
      for (const kind of ['ReplicaMismatch', 'PodNotReady', 'TargetDown', 'HighErrorRate']) {
        await escalate(b, id);
        const signal = await insertSignal(b.db, { incidentId: id, namespace: 'shop' });
        await b.db.execute('UPDATE signals SET kind = $2 WHERE id = $1', [signal, kind]);
        await hear(b, id);
        await b.db.execute(`UPDATE investigations SET ended_at = ended_at - interval '1 second'`);
        await drain(b.replica({ reopen: REOPEN }));
      }
      assert.deepEqual(await reasons(b), ['new-evidence', 'new-evidence', 'new-evidence']);
      const escalations = await b.db.query<{ id: number }>(
        `SELECT id FROM incident_events WHERE edge = 'I6' ORDER BY seq`,
      );
      const owed: number[] = [];
      for (const event of escalations) {
        owed.push(await b.db.transaction((tx) => deriveDeliveries(tx, { ids: b.deps.ids, routes: [ROUTE] }, event.id)));
      }
      assert.deepEqual(owed, [1, 0, 0, 0], 'people hear once of what each further investigation repeats');
    });
  });

  it('not while a person reviews a proposal, decided against one, or switched the agent off', async () => {
    const { world } = flipping();
    await bench(world, async (b) => {
      const reviewed = await b.incident('one');
      const denied = await b.incident('two');
      const off = await b.incident('three');
      await drain(b.replica());
      await b.db.transaction((tx) =>
        b.deps.incidents.transition(tx, {
          incidentId: reviewed,
          edge: 'I7',
          reason: 'test',
          actor: 'service:hephaisto/policy',
          origin: 'core',
        }),
      );
      await escalate(b, denied, 'PolicyDeny');
      for (const id of [reviewed, denied]) await hearOfAnotherKind(b, id);
      await drain(b.replica({ reopen: REOPEN }));
      await escalate(b, off);
      await hearOfAnotherKind(b, off);
      await drain(b.replica({ reopen: { ...REOPEN, agentMode: () => 'off' } }));
      assert.deepEqual(await reasons(b), []);
    });
  });
});
