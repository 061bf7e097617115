import { assertNever } from '@hephaisto/core/assert-never';
import type { RestartCounts, VerificationFacts, WorkloadHealth } from '../facts.ts';
import { type Outcome, outcome, type Question, unmeasurable } from '../predicate.ts';

type Present = WorkloadHealth & { kind: 'present' };

/** Is the workload well? What that means grows with the question: nothing worse at first, settled then, and settled all the while at last. */
export function workloadHealth(facts: VerificationFacts, question: Question): Outcome {
  if (facts.request.type === 'DeleteStuckJob') return jobHealth(facts);
  if (!facts.workload.measured) return unmeasurable('the workload', facts.workload.why);
  const health = facts.workload.value;
  if (health.kind === 'gone') return outcome('failed', 'workload_gone', 'the workload no longer exists');
  const measured = {
    replicas: health.replicas,
    updated: health.updated,
    ready: health.ready,
    available: health.available,
    failing: health.failing.slice(0, 5),
    restarts: health.restarts,
  };
  switch (question) {
    case 'obvious_break':
      return { ...nothingWorse(health, facts), measured };
    case 'converged':
      return { ...settled(health), measured };
    case 'came_back':
      return { ...stayedSettled(health, facts), measured };
    case 'restored':
      return {
        ...outcome('dropped', 'settled', 'an undo is not asked for health: the fault is still there'),
        measured,
      };
    default:
      return assertNever(question);
  }
}

function jobHealth({ target }: VerificationFacts): Outcome {
  if (!target.measured) return unmeasurable('the job', target.why);
  return target.value.kind === 'gone'
    ? outcome('passed', 'target_gone', 'the stuck job is gone')
    : outcome('failed', 'target_still_there', 'a job of that name is still there');
}

function nothingWorse(health: Present, { before }: VerificationFacts): Outcome {
  if (before === undefined) return unmeasurable('what became worse', 'how things stood before was not recorded');
  const young = grown(health.restarts, before.restarts).filter((key) => !(key in before.restarts));
  if (young.length > 0)
    return outcome(
      'failed',
      'new_pod_restarted',
      `a pod made since has already restarted ${young.length} container(s)`,
    );
  return health.ready < before.ready
    ? outcome('failed', 'fewer_ready', `${health.ready} pods are ready, ${before.ready} were before`)
    : outcome('passed', 'nothing_worse', `${health.ready} pods are ready, ${before.ready} were before`);
}

function settled(health: Present): Outcome {
  if (!health.observed) return outcome('failed', 'not_observed', 'the controller has not seen the present generation');
  if (health.replicas === 0)
    return outcome(
      'inconclusive',
      'nothing_runs',
      'the workload asks for no pods, so nothing tells whether it would run',
    );
  if (health.updated < health.replicas || health.total > health.updated)
    return outcome(
      'failed',
      'not_updated',
      `${health.updated} of ${health.replicas} pods are of the present template, ${health.total} exist`,
    );
  if (health.ready < health.replicas || health.failing.length > 0)
    return outcome(
      'failed',
      'not_ready',
      `${health.ready} of ${health.replicas} pods are ready${listed(health.failing)}`,
    );
  return outcome('passed', 'settled', `all ${health.replicas} pods are of the present template and ready`);
}

function stayedSettled(health: Present, { restartsEarlier, before }: VerificationFacts): Outcome {
  const now = settled(health);
  if (now.verdict !== 'passed') return now;
  const earlier = restartsEarlier ?? before?.restarts;
  if (earlier === undefined) return unmeasurable('restarts since the check before', 'they were not recorded');
  const restarted = grown(health.restarts, earlier);
  return restarted.length > 0
    ? outcome('failed', 'restarted_since', `${restarted.length} container(s) restarted since the check before`)
    : outcome('passed', 'stayed_settled', `${now.message}, and nothing restarted since the check before`);
}

/** Containers that restarted more often than then; one that is new counts from zero. */
function grown(now: RestartCounts, then: RestartCounts): readonly string[] {
  return Object.entries(now)
    .filter(([key, count]) => count > (then[key] ?? 0))
    .map(([key]) => key);
}

function listed(failing: readonly string[]): string {
  return failing.length === 0 ? '' : `; ${failing.slice(0, 3).join(', ')}`;
}
