import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifies } from '@hephaisto/test/verifies';
import fc from 'fast-check';
import { type Decision, decide } from '../decide.ts';
import { GATES, type GateResult } from '../gate.ts';
import { type PolicyInput, unknown } from '../input.ts';
import { GATE_TABLE, SUBJECTS } from '../table.ts';
import { anyInput, goodInput, REQUESTS } from './inputs.fixture.ts';
import { model } from './model.ts';

const RUNS = { numRuns: 3000 };
const RANK = { Deny: 0, RequireApproval: 1, Allow: 2 } as const;

/** Facts that a gate may fail to read. */
const READINGS = [
  'namespaceLabels',
  'target',
  'workload',
  'gitOps',
  'youngestPodSeconds',
  'clusterHealth',
  'maintenance',
  'quarantine',
  'cooldownUntil',
  'budgets',
] as const satisfies readonly (keyof PolicyInput)[];

function law(name: string, holds: (input: PolicyInput, decision: Decision) => void): void {
  it(name, () => {
    verifies('H3-53');
    fc.assert(
      fc.property(anyInput, (input) => holds(input, decide(input))),
      RUNS,
    );
  });
}

describe('laws of the policy', () => {
  law('decides as the model does', (input, { decision }) => assert.equal(decision, model(input)));

  law('default deny: what no rule names is denied', (input) => {
    const { decision, codes } = decide({ ...input, undo: false, rule: undefined });
    assert.equal(decision, 'Deny');
    assert.ok(codes.includes('namespace_not_allowed') && codes.includes('kind_not_enabled'));
  });

  law('forbid trumps permit: one gate that denies is enough, whoever approved', (input) => {
    const everything = { by: ['person:ada', 'person:bob', 'person:eve'], covers: GATES };
    const { decision, gates } = decide({ ...input, approval: everything });
    assert.equal(
      decision === 'Deny',
      gates.some(({ verdict }) => verdict === 'deny'),
    );
  });

  law('an approval never turns a denial into anything else, and only ever widens', (input, { decision }) => {
    const approved = decide({ ...input, approval: { by: ['person:ada', 'person:bob'], covers: GATES } }).decision;
    const alone = decide({ ...input, approval: { by: [], covers: [] } }).decision;
    assert.ok(RANK[approved] >= RANK[decision] && RANK[decision] >= RANK[alone]);
    assert.equal(approved === 'Deny', alone === 'Deny');
  });

  law('unknown denies: a fact that cannot be read never gives more than one that can', (input, { decision }) => {
    for (const reading of READINGS) {
      const blind = decide({ ...input, [reading]: unknown('timeout') }).decision;
      assert.ok(RANK[blind] <= RANK[decision], reading);
      if (!input.undo) assert.ok(blind === 'Deny' || exemptFrom(reading, input), reading);
    }
  });

  law('more evidence against never widens permission: each further violation only narrows', (input, { decision }) => {
    const worse: readonly Partial<PolicyInput>[] = [
      { emergencyStop: { on: true, why: 'set' } },
      { runawayLatch: { on: true, why: 'set' } },
      { incident: { ...input.incident, isSelf: true } },
      { incident: { ...input.incident, causedByOther: true } },
      { finding: undefined },
      { mode: { effective: 'observe', setBy: { arm: 'configmap', mode: 'observe', why: 'set' } } },
      { maintenance: { known: true, value: 'window' } },
      { cooldownUntil: { known: true, value: new Date(input.now.getTime() + 1000) } },
    ];
    for (const change of worse) assert.ok(RANK[decide({ ...input, ...change }).decision] <= RANK[decision]);
  });

  law('an error denies: a check that throws counts against the action, and the others are still asked', (input) => {
    const broken = {
      ...input,
      undo: false,
      get quarantine(): never {
        throw new Error('planted');
      },
    };
    const { decision, gates } = decide(broken);
    const failed = gates.filter(({ code }) => code === 'check_failed').map(({ gate }) => gate);
    assert.deepEqual([decision, failed, gates.length], ['Deny', ['Quarantine'], GATES.length]);
  });

  law('the same input gives the same answer, and the input is left as it was', (input, decision) => {
    assert.deepEqual(decide(Object.freeze({ ...input })), decision);
  });

  law('reasons come in the order of the gates, one line a gate', (_input, { gates, codes }) => {
    assert.deepEqual(
      gates.map(({ gate }: GateResult) => gate),
      GATES,
    );
    assert.deepEqual(
      codes,
      gates.filter(({ verdict }) => verdict === 'deny' || verdict === 'ask').map(({ code }) => code),
    );
  });

  law('the emergency stop and self-protection hold for an undo too', (input) => {
    const stopped = decide({ ...input, undo: true, emergencyStop: { on: true, why: 'set' } });
    assert.equal(stopped.decision, 'Deny');
    assert.equal(decide({ ...input, undo: true, selfNamespaces: [input.request.target.namespace] }).decision, 'Deny');
  });

  it('an undo asks nobody, and needs neither budget, cooldown, mode nor window', () => {
    verifies('H3-70');
    const refusals: Partial<PolicyInput> = {
      mode: { effective: 'observe', setBy: { arm: 'database', mode: 'observe', why: 'set' } },
      rule: undefined,
      budgets: unknown('timeout'),
      cooldownUntil: { known: true, value: new Date(8e15) },
      maintenance: { known: true, value: 'window' },
      finding: undefined,
    };
    for (const request of REQUESTS)
      assert.equal(decide(goodInput(request, { ...refusals, undo: true })).decision, 'Allow');
  });
});

/** A reading that only exempt gates look at cannot deny. */
function exemptFrom(reading: (typeof READINGS)[number], input: PolicyInput): boolean {
  const { type } = input.request;
  if (reading === 'gitOps') return GATE_TABLE.GitOpsOwner.cells[type].weight === 'exempt';
  return reading === 'youngestPodSeconds' && GATE_TABLE.PodTooYoung.cells[input.request.type].weight === 'exempt';
}

describe('the table of gates', () => {
  it('has a reason in every cell, and the six kinds and the undo in every row', () => {
    for (const gate of GATES)
      for (const subject of SUBJECTS) {
        const cell = GATE_TABLE[gate].cells[subject];
        assert.ok(cell.reason.length > 10, `${gate} × ${subject}`);
      }
  });

  it('lifts gates for a rollback only where the fault itself would close them', () => {
    const lifted = GATES.filter((gate) => GATE_TABLE[gate].cells.RollbackWorkload.weight === 'exempt');
    assert.deepEqual(lifted, ['RolloutInFlight', 'PodTooYoung', 'BlastRadiusFraction', 'LastReadyReplica']);
    assert.equal(GATE_TABLE.RevisionInFlight.cells.RollbackWorkload.weight, 'deny');
  });
});
