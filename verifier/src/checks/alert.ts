import { assertNever } from '@hephaisto/core/assert-never';
import type { VerificationFacts } from '../facts.ts';
import { type Outcome, outcome, unmeasurable } from '../predicate.ts';

/** Does what told us of the fault still say so? Without a source nobody can be asked, and that is said; a source that does not answer leaves it open. */
export function alert({ alerts }: VerificationFacts): Outcome {
  switch (alerts.kind) {
    case 'none-known':
      return outcome('dropped', 'no_alert_known', 'no alert belongs to the incident');
    case 'not-configured':
      return outcome(
        'dropped',
        'no_alert_source',
        'no alerting system is configured, so the alert’s own state is not asked',
      );
    case 'unreachable':
      return unmeasurable('the alert', alerts.message);
    case 'answered':
      return alerts.firing.length === 0
        ? outcome('passed', 'not_firing', 'the alert no longer fires')
        : outcome('failed', 'still_firing', `still firing: ${alerts.firing.slice(0, 3).join(', ')}`);
    default:
      return assertNever(alerts);
  }
}
