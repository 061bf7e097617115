import { podsToDelete } from '../replicaset/deletion-ranking.ts';
import type { Condition } from '../shape/condition.ts';
import { findCondition, withoutCondition } from '../shape/conditions.ts';
import type { Pod } from '../shape/pod.ts';
import { isActive, isReady, isTerminating } from '../shape/pod-facts.ts';
import type { Job, JobStatus } from '../shape/workloads.ts';
import { type FailureStreak, remainingDelay } from './job-backoff.ts';

export interface JobFacts {
  readonly job: Job;
  /** The pods that the Job controls. */
  readonly pods: readonly Pod[];
  /** Pods that finished since the last look, not in the status yet. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  readonly streak: FailureStreak;
  readonly now: Date;
  readonly stamp: string;
  /** Simulated milliseconds since the Job started, and since a pod of it last failed. */
  readonly sinceStart: number;
  readonly sinceFailure: number;
}

export interface JobDecision {
  readonly kind: 'finished-before' | 'finishing' | 'suspended' | 'running';
  readonly create: number;
  readonly remove: readonly Pod[];
  /** The Job as it stands after this look; the interim condition is written before the final one. */
  readonly statuses: readonly JobStatus[];
  readonly finished: Condition | undefined;
  /** Simulated milliseconds until time alone may change the decision. */
  readonly lookAgainIn: number | undefined;
}

/** Whether the Job has its final condition. */
export function finalCondition(job: Job): Condition | undefined {
  return job.status?.conditions?.find(
    ({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'),
  );
}

/** Counts as failed: pods that failed, and pods deleted before they could succeed. */
export function hasFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === 'Failed') return true;
  if (job.spec.podReplacementPolicy === 'Failed') return false;
  return pod.metadata.deletionTimestamp !== undefined && pod.status?.phase !== 'Succeeded';
}

export function decideJob(facts: JobFacts): JobDecision {
  const { job } = facts;
  if (finalCondition(job) !== undefined)
    return {
      kind: 'finished-before',
      create: 0,
      remove: [],
      statuses: [],
      finished: undefined,
      lookAgainIn: undefined,
    };
  const verdict = earlierVerdict(job) ?? failureVerdict(facts);
  if (verdict !== undefined) return finish(facts, verdict, facts.pods.filter(isActive));
  if (job.spec.suspend === true) return suspend(facts);
  return run(facts);
}

function earlierVerdict(job: Job): Condition | undefined {
  const conditions = job.status?.conditions ?? [];
  return findCondition(conditions, 'SuccessCriteriaMet') ?? findCondition(conditions, 'FailureTarget');
}

function failureVerdict(facts: JobFacts): Condition | undefined {
  const { job, stamp } = facts;
  const limit = job.spec.backoffLimit ?? 6;
  if (totals(facts).failed > limit || restartsPast(job, facts.pods, limit))
    return verdictOf('FailureTarget', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit', stamp);
  const deadline = job.spec.activeDeadlineSeconds;
  if (deadline !== undefined && job.spec.suspend !== true && facts.sinceStart >= deadline * 1000)
    return verdictOf('FailureTarget', 'DeadlineExceeded', 'Job was active longer than specified deadline', stamp);
  return undefined;
}

/** With restartPolicy OnFailure the kubelet retries inside the pod, and its restarts are what is counted. */
function restartsPast(job: Job, pods: readonly Pod[], limit: number): boolean {
  if (job.spec.template.spec.restartPolicy !== 'OnFailure') return false;
  const restarts = pods
    .filter((pod) => pod.status?.phase === 'Running' || pod.status?.phase === 'Pending')
    .flatMap((pod) => [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])])
    .reduce((sum, status) => sum + (status.restartCount ?? 0), 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function totals({ job, newlySucceeded, newlyFailed }: JobFacts): { succeeded: number; failed: number } {
  return {
    succeeded: (job.status?.succeeded ?? 0) + newlySucceeded.length,
    failed: (job.status?.failed ?? 0) + newlyFailed.length,
  };
}

function verdictOf(type: string, reason: string, message: string, stamp: string): Condition {
  return { type, status: 'True', lastProbeTime: stamp, lastTransitionTime: stamp, reason, message };
}

/** The interim condition at once, the final one only when no pod of the Job is left on its way out. */
function finish(facts: JobFacts, verdict: Condition, remove: readonly Pod[]): JobDecision {
  const { job, stamp } = facts;
  const failed = verdict.type === 'FailureTarget';
  const interim = base(facts, { active: 0, removed: remove, lost: failed ? remove.length : 0 });
  const known = findCondition(interim.conditions ?? [], verdict.type) !== undefined;
  const withVerdict: JobStatus = known ? interim : { ...interim, conditions: [...(interim.conditions ?? []), verdict] };
  const waiting = facts.pods.some(isTerminating) || remove.length > 0;
  const kind = 'finishing';
  if (waiting) return { kind, create: 0, remove, statuses: [withVerdict], finished: undefined, lookAgainIn: undefined };

  const final = verdictOf(failed ? 'Failed' : 'Complete', verdict.reason ?? '', verdict.message ?? '', stamp);
  const done: JobStatus = {
    ...withVerdict,
    ...(failed ? {} : { completionTime: stamp }),
    conditions: [...(withVerdict.conditions ?? []), final],
  };
  const lookAgainIn = job.spec.ttlSecondsAfterFinished === undefined ? undefined : 0;
  return { kind, create: 0, remove, statuses: [withVerdict, done], finished: final, lookAgainIn };
}

function suspend(facts: JobFacts): JobDecision {
  const remove = facts.pods.filter(isActive);
  const status = base(facts, { active: 0, removed: remove, lost: 0 });
  const { startTime: _, ...stopped } = status;
  const conditions = suspension(facts, 'True', 'JobSuspended', 'Job suspended');
  return {
    kind: 'suspended',
    create: 0,
    remove,
    statuses: [{ ...stopped, conditions }],
    finished: undefined,
    lookAgainIn: undefined,
  };
}

function suspension(facts: JobFacts, status: 'True' | 'False', reason: string, message: string): readonly Condition[] {
  const before = facts.job.status?.conditions ?? [];
  const current = findCondition(before, 'Suspended');
  if (current?.status === status || (current === undefined && status === 'False')) return before;
  return [
    ...withoutCondition(before, 'Suspended'),
    { ...verdictOf('Suspended', reason, message, facts.stamp), status },
  ];
}

function run(facts: JobFacts): JobDecision {
  const { job, pods, now } = facts;
  const active = pods.filter(isActive);
  const wanted = wantedActive(facts, active.length);
  const remove = podsToDelete(active, Math.max(0, active.length - wanted), now);
  const kept = active.length - remove.length;
  const terminating = job.spec.podReplacementPolicy === 'Failed' ? pods.filter(isTerminating).length : 0;
  const missing = remove.length > 0 ? 0 : Math.max(0, wanted - terminating - kept);
  const delay = missing > 0 ? remainingDelay(facts.streak, facts.sinceFailure) : 0;
  const create = delay > 0 ? 0 : missing;

  if (isComplete(facts, kept + create)) {
    const message = 'Reached expected number of succeeded pods';
    return finish(facts, verdictOf('SuccessCriteriaMet', 'CompletionsReached', message, facts.stamp), remove);
  }
  const deadline = job.spec.activeDeadlineSeconds;
  const waits = [
    ...(delay > 0 ? [delay] : []),
    ...(deadline === undefined ? [] : [deadline * 1000 - facts.sinceStart]),
  ];
  const conditions = suspension(facts, 'False', 'JobResumed', 'Job resumed');
  return {
    kind: 'running',
    create,
    remove,
    statuses: [
      {
        ...base(facts, { active: kept + create, removed: remove, lost: 0 }),
        ...(conditions.length === 0 ? {} : { conditions }),
      },
    ],
    finished: undefined,
    lookAgainIn: waits.length === 0 ? undefined : Math.max(0, Math.min(...waits)),
  };
}

/** Nothing where the Job only says how many pods may run at once: then any success ends it. */
function completionsOf({ completions, parallelism }: Job['spec']): number | undefined {
  return completions ?? (parallelism === undefined ? 1 : undefined);
}

function wantedActive(facts: JobFacts, active: number): number {
  const { spec } = facts.job;
  const { succeeded } = totals(facts);
  const completions = completionsOf(spec);
  const parallelism = spec.parallelism ?? 1;
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

function isComplete(facts: JobFacts, active: number): boolean {
  const { succeeded } = totals(facts);
  const completions = completionsOf(facts.job.spec);
  return active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
}

interface Shape {
  readonly active: number;
  readonly removed: readonly Pod[];
  /** Active pods that count as failed because the Job failed. */
  readonly lost: number;
}

function base(facts: JobFacts, { active, removed, lost }: Shape): JobStatus {
  const { job, pods, stamp } = facts;
  const { succeeded, failed } = totals(facts);
  const gone = new Set(removed);
  const { active: _a, succeeded: _s, failed: _f, ...before } = job.status ?? {};
  return {
    ...before,
    startTime: before.startTime ?? stamp,
    ...(active > 0 ? { active } : {}),
    ready: pods.filter((pod) => isActive(pod) && isReady(pod) && !gone.has(pod)).length,
    terminating: pods.filter(isTerminating).length + removed.length,
    ...(succeeded > 0 ? { succeeded } : {}),
    ...(failed + lost > 0 ? { failed: failed + lost } : {}),
    uncountedTerminatedPods: {},
  };
}
