import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import fc from 'fast-check';
import { type ArmReading, combineArms } from './arms.ts';
import { AGENT_MODES, safestMode } from './modes.ts';

const read = (values: Record<string, string>): ArmReading => ({ kind: 'read', values });
const mode = fc.constantFrom<string | undefined>(...AGENT_MODES, 'Auto', '', undefined);
const arm = fc.oneof(
  fc.record({ agent_mode: mode, emergency_stop: fc.constantFrom('on', 'off', undefined) }).map((values): ArmReading => {
    const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return read(Object.fromEntries(given));
  }),
  fc.constant<ArmReading>({ kind: 'unreadable', why: '403' }),
);

describe('switches', () => {
  it('each arm can only lower what the others allow', () => {
    verifies('H3-59');
    fc.assert(
      fc.property(arm, arm, arm, (environment, configmap, database) => {
        const all = combineArms({ environment, configmap, database }, 'RestartPod');
        const rank = (limits: typeof all.limits) => AGENT_MODES.indexOf(safestMode(limits).mode);
        for (const without of [
          { configmap, database },
          { environment, configmap },
          { environment, database },
        ]) {
          const fewer = combineArms(without, 'RestartPod');
          assert.ok(rank(all.limits) <= rank(fewer.limits));
          assert.ok(!fewer.emergencyStop.on || all.emergencyStop.on);
        }
      }),
    );
  });

  it('what cannot be read, is missing, or is no word, reads as observe', () => {
    verifies('H3-60');
    const auto = read({ agent_mode: 'auto' });
    const cases: readonly ArmReading[] = [
      { kind: 'unreadable', why: '403' },
      read({}),
      read({ agent_mode: 'AUTO' }),
      read({ agent_mode: '' }),
    ];
    for (const broken of cases) {
      assert.equal(safestMode(combineArms({ configmap: broken, database: auto }, 'RestartPod').limits).mode, 'observe');
      assert.equal(safestMode(combineArms({ configmap: auto, database: broken }, 'RestartPod').limits).mode, 'observe');
    }
    assert.equal(safestMode(combineArms({}, 'RestartPod').limits).mode, 'observe');
  });

  it('one kind is held down without the others', () => {
    verifies('H3-63');
    const database = read({ agent_mode: 'auto', 'action_mode:ScaleWorkload': 'dryrun' });
    const configmap = read({ agent_mode: 'auto', 'action_mode.RestartPod': 'approve' });
    const of = (type: 'ScaleWorkload' | 'RestartPod' | 'PatchResources') =>
      safestMode(combineArms({ configmap, database }, type).limits).mode;
    assert.deepEqual([of('ScaleWorkload'), of('RestartPod'), of('PatchResources')], ['dryrun', 'approve', 'auto']);
  });

  it('a stop that is misspelt is still a stop', () => {
    assert.ok(combineArms({ configmap: read({ agent_mode: 'auto', emergency_stop: 'ON!' }) }).emergencyStop.on);
    assert.ok(!combineArms({ configmap: read({ agent_mode: 'auto', emergency_stop: 'off' }) }).emergencyStop.on);
  });
});
