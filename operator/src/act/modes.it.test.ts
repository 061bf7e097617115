import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StoreUnavailable } from '@hephaisto/core/ports/database';
import { drain } from '@hephaisto/test/stage-deps';
import { verifies } from '@hephaisto/test/verifies';
import { createActStage } from '../flow/7-act/stage.ts';
import { run, worlds } from './testing/fresh-world.ts';
import { PATCH, type World } from './testing/world.ts';

describe('modes and switches', () => {
  const suite = worlds();

  it('in observe nothing is sent, in dryrun only the dry run, in off nothing', async () => {
    verifies('H3-61', 'H3-62');
    for (const [mode, writes, action, escalation] of [
      ['off', [], 'Denied', 'ObserveOnly'],
      ['observe', [], 'Denied', 'ObserveOnly'],
      ['dryrun', [true], 'DryRunOk', 'ObserveOnly'],
    ] as const) {
      const w = await suite.world({ mode });
      const { incidentId, actionId } = await w.propose(PATCH);
      await run(w);
      assert.deepEqual(
        w.cluster.sent.map(({ dryRun }) => dryRun),
        writes,
        mode,
      );
      assert.deepEqual(
        [(await w.action(actionId)).state, (await w.incident(incidentId)).escalation_reason],
        [action, escalation],
        mode,
      );
    }
  });

  it('each switch arm alone stops acting, and the safest wins', async () => {
    verifies('H3-59', 'H3-60', 'H3-63');
    const arms: readonly [string, (w: World) => unknown][] = [
      ['environment', (w) => Object.assign(w.environment, { current: { agent_mode: 'observe' } })],
      ['environment stop', (w) => Object.assign(w.environment, { current: { emergency_stop: 'on' } })],
      [
        'configmap',
        (w) => Object.assign(w.configMap, { current: { kind: 'read', values: { agent_mode: 'observe' } } }),
      ],
      ['configmap unreadable', (w) => Object.assign(w.configMap, { current: { kind: 'unreadable', why: '403' } })],
      [
        'configmap garbage',
        (w) => Object.assign(w.configMap, { current: { kind: 'read', values: { agent_mode: 'yes please' } } }),
      ],
      ['configmap empty', (w) => Object.assign(w.configMap, { current: { kind: 'read', values: {} } })],
      ['row', (w) => w.db.execute(`UPDATE switches SET value = 'observe' WHERE name = 'agent_mode'`)],
      ['row missing', (w) => w.db.execute(`DELETE FROM switches WHERE name = 'agent_mode'`)],
      ['row stop', (w) => w.db.execute(`UPDATE switches SET value = 'on' WHERE name = 'emergency_stop'`)],
      [
        'kind',
        (w) =>
          w.db.execute(
            `INSERT INTO switches (name, value, set_by) VALUES ('action_mode:PatchResources', 'observe', 'person:ada')`,
          ),
      ],
    ];
    for (const [name, set] of arms) {
      const w = await suite.world();
      await set(w);
      const { actionId } = await w.propose(PATCH);
      await run(w);
      assert.deepEqual([w.cluster.sent.length, (await w.action(actionId)).state], [0, 'Denied'], name);
    }
    const other = await suite.world();
    await other.db.execute(
      `INSERT INTO switches (name, value, set_by) VALUES ('action_mode:ScaleWorkload', 'observe', 'person:ada')`,
    );
    const { actionId } = await other.propose(PATCH);
    await run(other);
    assert.equal((await other.action(actionId)).state, 'Verified');
  });

  it('what people say between the judgement and the call stops the call', async () => {
    const said: readonly [string, string][] = [
      ['emergency_stop', `UPDATE switches SET value = 'on' WHERE name = 'emergency_stop'`],
      ['off', `UPDATE switches SET value = 'off' WHERE name = 'agent_mode'`],
      ['approve', `UPDATE switches SET value = 'approve' WHERE name = 'agent_mode'`],
      ['latch', `UPDATE switches SET value = 'on' WHERE name = 'runaway_latch'`],
    ];
    for (const [name, sql] of said) {
      const w = await suite.world();
      const { actionId } = await w.propose(PATCH);
      await drain(w.stages().admit);
      const hit = async (point: string) => {
        if (point === 'act:dry-run-ended') await w.db.execute(sql);
      };
      await drain(createActStage({ ...w.deps, faults: { hit } }));
      assert.deepEqual([w.cluster.real.length, (await w.action(actionId)).state], [0, 'Refused'], name);
    }
  });

  it('without the database nothing is sent', async () => {
    verifies('H3-60');
    const w = await suite.world();
    await w.propose(PATCH);
    await drain(w.stages().admit);
    const away = () => Promise.reject(new StoreUnavailable('the database is away', { outcome: 'none' }));
    const act = createActStage({
      ...w.deps,
      db: { ...w.deps.db, query: suite.db.query.bind(suite.db), transaction: away },
    });
    await assert.rejects(act.pass(new AbortController().signal), StoreUnavailable);
    assert.equal(w.cluster.sent.length, 0);
    await drain(w.stages().act);
  });
});
