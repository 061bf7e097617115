import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ACTION_TYPES } from '@hephaisto/core/action/types';
import { SWITCH_NAMES } from '@hephaisto/core/switches/arms';
import { createTestDatabase } from '@hephaisto/test/database';
import { verifies } from '@hephaisto/test/verifies';
import { makeWorld } from '../act/testing/world.ts';
import { describeSwitches } from '../switches/board.ts';
import { seedSwitches } from '../switches/seed.ts';
import { setSwitch } from './switch-set.ts';

describe('setting a switch', () => {
  it('changes one row, counts its versions, and leaves a line in the audit', async () => {
    verifies('H3-59', 'H3-63');
    await using db = await createTestDatabase();
    const w = await makeWorld(db, { mode: 'approve' });
    const by = { actor: 'person:ada', reason: 'because' };
    const set = (name: string, value: string, expectedVersion?: number) =>
      setSwitch(w.deps, { ...by, name, value, ...(expectedVersion === undefined ? {} : { expectedVersion }) });
    const word = (answer: Awaited<ReturnType<typeof set>>) => (answer.kind === 'done' ? answer.version : answer.reason);
    assert.deepEqual(
      [
        word(await set('agent_mode', 'auto', 1)),
        word(await set('agent_mode', 'observe', 1)),
        word(await set('action_mode:RestartPod', 'auto', 0)),
        word(await set('action_mode:*', 'auto')),
        word(await set('emergency_stop', 'maybe')),
        word(await set('agent_mode', 'on')),
        word(await setSwitch(w.deps, { ...by, name: 'emergency_stop', value: 'on', reason: ' ' })),
      ],
      [2, 'version-conflict', 1, 'unknown-switch', 'unknown-value', 'unknown-value', 'reason-required'],
    );
    const audit = await db.query(`SELECT subject_id, detail FROM audit_log WHERE verb = 'switch.set' ORDER BY id`);
    assert.deepEqual(audit, [
      { subject_id: 'agent_mode', detail: { from: 'approve', to: 'auto' } },
      { subject_id: 'action_mode:RestartPod', detail: { from: null, to: 'auto' } },
    ]);
    assert.deepEqual(SWITCH_NAMES.length, 3 + ACTION_TYPES.length);
  });

  it('an installation boots in the mode in which it was left, never higher', async () => {
    await using db = await createTestDatabase();
    const w = await makeWorld(db, { mode: 'observe' });
    await seedSwitches(db, 'auto');
    const states = await describeSwitches(w.deps.switches, db);
    assert.equal(states.find(({ name }) => name === 'agent_mode')?.effective, 'observe');
  });
});
