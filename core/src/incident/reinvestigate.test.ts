import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Cause } from '../finding/finding.ts';
import { judgeReinvestigation, type ReinvestigationFacts, type RuleConclusion } from './reinvestigate.ts';

const workload = { kind: 'Deployment', namespace: 'shop', name: 'app' };
const crash = (line: string): RuleConclusion => ({
  rule: 'application-crash',
  certainty: 'possible',
  cause: { kind: 'crash-application', workload, container: 'app', line },
});
const rollout = (revision: number): Cause => ({
  kind: 'rollout-change',
  workload,
  symptom: 'crash',
  revision,
  previousRevision: revision - 1,
  changedAt: new Date(0),
  changes: [],
});
const rolledOut: RuleConclusion = { rule: 'rollout-change', certainty: 'likely', cause: rollout(2) };
const refused = (by: 'quota' | 'webhook', name: string): RuleConclusion => ({
  rule: 'pod-creation-refused',
  certainty: 'proven',
  cause: { kind: 'pod-creation-refused', workload, by, name },
});

const FACTS: ReinvestigationFacts = {
  reinvestigations: 0,
  newKinds: [],
  concluded: [crash('exit 1')],
  present: crash('exit 1 again'),
};

const CASES: Readonly<Record<string, [Partial<ReinvestigationFacts>, string]>> = {
  'the same cause in other words: leave it': [{}, 'leave nothing-new'],
  'a signal of another kind': [{ newKinds: ['ReplicaMismatch'] }, 'investigate new-evidence'],
  'a signal of another kind, and rules still see the same likely cause': [
    { newKinds: ['ReplicaMismatch'], concluded: [rolledOut], present: rolledOut },
    'leave nothing-new',
  ],
  'a signal of another kind, and the likely cause cannot be seen any more': [
    { newKinds: ['ReplicaMismatch'], concluded: [rolledOut], present: undefined },
    'investigate new-evidence',
  ],
  'another cause': [{ present: rolledOut }, 'investigate facts-changed'],
  'another revision is the cause': [
    { concluded: [rolledOut], present: { ...rolledOut, cause: rollout(3) } },
    'investigate facts-changed',
  ],
  'the same cause, surer': [{ present: { ...crash('x'), certainty: 'likely' } }, 'investigate facts-changed'],
  'the same cause, less sure': [
    { concluded: [{ ...rolledOut, certainty: 'proven' }], present: rolledOut },
    'leave nothing-new',
  ],
  'another object refuses the pods': [
    { concluded: [refused('quota', 'pods')], present: refused('webhook', 'check.shop') },
    'investigate facts-changed',
  ],
  'the same object still refuses the pods': [
    { concluded: [refused('quota', 'pods')], present: refused('quota', 'pods') },
    'leave nothing-new',
  ],
  'a cause where there was none': [{ concluded: [] }, 'investigate facts-changed'],
  'no cause can be seen now': [{ present: undefined }, 'leave nothing-new'],
  'the third time was the last': [
    { reinvestigations: 3, newKinds: ['ReplicaMismatch'], present: rolledOut },
    'leave often-enough',
  ],
};

describe('whether an incident is investigated again without being asked', () => {
  for (const [name, [facts, expected]] of Object.entries(CASES)) {
    it(name, () => {
      const { kind, reason } = judgeReinvestigation({ ...FACTS, ...facts });
      assert.equal(`${kind} ${reason}`, expected);
    });
  }
});
