import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decide } from './decide.ts';
import type { Gate, GateResult } from './gate.ts';
import type { PolicyInput } from './input.ts';
import { goodInput, OPEN_RULE, REQUESTS } from './spec/inputs.fixture.ts';

type Row = readonly [sentence: string, gate: Gate, change: Partial<PolicyInput>, measured: GateResult['measured']];

const ROWS: readonly Row[] = [
  [
    'a proven cause is shown as proven',
    'CertaintyTooLow',
    { finding: { certainty: 'proven', grounded: true, revision: 3 } },
    { certainty: 'proven' },
  ],
  [
    'a likely cause is shown as likely',
    'CertaintyTooLow',
    { finding: { certainty: 'likely', grounded: true, revision: 3 } },
    { certainty: 'likely' },
  ],
  [
    'a possible cause is shown as possible',
    'CertaintyTooLow',
    { finding: { certainty: 'possible', grounded: true, revision: 3 } },
    { certainty: 'possible' },
  ],
  ['no finding is shown as none', 'CertaintyTooLow', { finding: undefined }, { certainty: 'none' }],
  ['the rule that names the namespace is shown', 'NamespaceNotAllowed', {}, { rule: OPEN_RULE.match }],
];

describe('a gate shows what it measured, so that a person can check its answer', () => {
  for (const [sentence, gate, change, measured] of ROWS)
    it(sentence, () => {
      const { gates } = decide(goodInput(REQUESTS[0], change));
      assert.deepEqual(gates.find((result) => result.gate === gate)?.measured, measured);
    });
});
