import { textAt, valueAt } from '@hephaisto/core/action/raw-object';
import { RESTARTED_AT_PATH } from '@hephaisto/core/action/rollout-restart/request';
import { sameJson } from '@hephaisto/core/canonical-json';
import type { VerificationFacts } from '../facts.ts';
import { type Outcome, outcome, unmeasurable } from '../predicate.ts';

/** Does what we did still stand? Health under a change that somebody has taken back proves nothing about it. */
export function changeInPlace({ request, inverse, target }: VerificationFacts): Outcome {
  if (!target.measured) return unmeasurable('the target', target.why);
  const present = target.value;
  if (request.type === 'RestartPod' || request.type === 'DeleteStuckJob') {
    const same = present.kind === 'present' && textAt(present.object, '/metadata/uid') === request.target.uid;
    return same
      ? outcome('failed', 'target_still_there', 'the very object that was deleted is still there')
      : outcome('passed', 'change_stands', 'the object that was deleted is gone');
  }
  if (present.kind === 'gone')
    return outcome('failed', 'change_undone', 'the object that was changed no longer exists');
  if (request.type === 'RolloutRestart')
    return valueAt(present.object, RESTARTED_AT_PATH) === undefined
      ? outcome('failed', 'change_undone', 'the mark of the restart has been taken away')
      : outcome('passed', 'change_stands', 'the template carries the mark of the restart');
  if (inverse.kind === 'none') return unmeasurable('the change', 'what was written was not recorded');
  const undone = inverse.values.find((value) => !sameJson(valueAt(present.object, value.path), value.written));
  return undone === undefined
    ? outcome('passed', 'change_stands', 'every value is still the one that was written')
    : outcome('failed', 'change_undone', `\`${undone.path}\` is no longer what was written`);
}
