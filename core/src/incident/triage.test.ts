import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import { type TriageFacts, triage, windowAt } from './triage.ts';

const PLAIN: TriageFacts = {
  isSelf: false,
  meta: undefined,
  severity: 'warning',
  namespace: 'shop',
  clusterKnown: true,
  agentMode: 'approve',
  duplicateOf: undefined,
  selfCausedBy: undefined,
  maintenance: undefined,
  openedInFlapWindow: 1,
};

function verdict(over: Partial<TriageFacts>): string {
  const found = triage({ ...PLAIN, ...over }, { flapLimit: 3 });
  const word =
    found.kind === 'suppress'
      ? found.suppressedReason
      : found.kind === 'escalate'
        ? found.escalationReason
        : 'Investigate';
  return `${word} ${found.reason}`;
}

describe('triage', () => {
  const CASES: Readonly<Record<string, { given: Partial<TriageFacts>; expected: string }>> = {
    'nothing speaks against it': { given: {}, expected: 'Investigate worth-a-look' },
    'about ourselves, even during maintenance': {
      given: { isSelf: true, maintenance: { name: 'm' } },
      expected: 'SelfSignal about-ourselves',
    },
    'a storm': { given: { meta: 'storm', agentMode: 'off' }, expected: 'Storm storm-incident' },
    'a flapping fault': { given: { meta: 'flap' }, expected: 'FlapMeta flap-incident' },
    'a duplicate': { given: { duplicateOf: { id: 'x', number: 1 } }, expected: 'Duplicate duplicate' },
    'caused by our own action': { given: { selfCausedBy: 'RestartPod a' }, expected: 'SelfCaused self-caused' },
    'in a maintenance window': { given: { maintenance: { name: 'm' } }, expected: 'Maintenance maintenance-window' },
    'the third within the hour': { given: { openedInFlapWindow: 3 }, expected: 'Investigate worth-a-look' },
    'the fourth within the hour': { given: { openedInFlapWindow: 4 }, expected: 'Flapping flapping' },
    'the agent is off': { given: { agentMode: 'off' }, expected: 'AgentOff agent-off' },
    'nobody knows the cluster': { given: { clusterKnown: false }, expected: 'ObserveOnly unknown-cluster' },
  };
  for (const [name, { given, expected }] of Object.entries(CASES)) {
    it(name, () => {
      verifies('H3-20');
      assert.equal(verdict(given), expected);
    });
  }

  it('a window covers its namespaces from its beginning to just before its end', () => {
    const window = { name: 'w', namespaces: ['shop'], from: new Date(10), to: new Date(20) };
    const covers = (namespace: string | undefined, at: number) =>
      windowAt([window], namespace, new Date(at)) !== undefined;
    assert.deepEqual(
      [
        covers('shop', 9),
        covers('shop', 10),
        covers('shop', 19),
        covers('shop', 20),
        covers('till', 15),
        covers(undefined, 15),
      ],
      [false, true, true, false, false, false],
    );
  });
});
