import { decide } from '@hephaisto/policy/decide';
import fc from 'fast-check';
import * as inputs from '../../policy/src/spec/inputs.fixture.ts';
import { median } from './intake.ts';

const INPUTS = 500;
const DECISIONS = 200_000;
const ROUNDS = 5;

/** Policy decisions a second on one core, over generated inputs of every action kind; the median of the rounds. */
export function measurePolicy(): number {
  const sample = fc.sample(inputs.anyInput, { numRuns: INPUTS, seed: 7 });
  const rates = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    let denied = 0;
    for (let n = 0; n < DECISIONS; n += 1) {
      const input = sample[n % INPUTS];
      if (input !== undefined && decide(input).decision === 'Deny') denied += 1;
    }
    if (denied === 0) throw new Error('expected some of the inputs to be denied, found none; the inputs are wrong');
    return (DECISIONS * 1000) / (performance.now() - started);
  });
  return median(rates);
}
