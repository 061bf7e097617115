import { numberAt, valueAt } from '@hephaisto/core/action/raw-object';
import { sameJson } from '@hephaisto/core/canonical-json';
import type { VerificationFacts } from '../facts.ts';
import { type Outcome, outcome, unmeasurable } from '../predicate.ts';

/** Do the prior values stand again, and has the controller seen them? Whether the workload is well is not asked: the fault was there before us. */
export function restored({ inverse, target }: VerificationFacts): Outcome {
  if (!target.measured) return unmeasurable('the target', target.why);
  if (target.value.kind === 'gone') return outcome('failed', 'workload_gone', 'the object no longer exists');
  if (inverse.kind === 'none') return unmeasurable('the undo', 'nothing was stored that could be put back');
  const { object } = target.value;
  const missing = inverse.values.find((value) => !sameJson(valueAt(object, value.path), value.prior));
  if (missing !== undefined)
    return outcome('failed', 'not_restored', `\`${missing.path}\` is not the value from before`);
  const generation = numberAt(object, '/metadata/generation') ?? 0;
  const observed = numberAt(object, '/status/observedGeneration') ?? 0;
  return observed < generation
    ? outcome('failed', 'not_observed', 'the prior values stand, but the controller has not seen them yet')
    : outcome('passed', 'restored', 'every prior value stands again, and the controller has seen it');
}
