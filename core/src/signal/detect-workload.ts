import type { ConditionFact, JobFact } from '../facts/facts.ts';
import type { BenignNote, Symptom } from './symptom.ts';
import type { WatchedWorkload } from './watched-workload.ts';

/** What the watch remembers of a Deployment. */
export interface WatchedDeployment extends WatchedWorkload {
  readonly total: number;
  readonly revision: number | undefined;
  readonly conditions: readonly ConditionFact[];
  /** By its own word, the pods of the present template are restarted on purpose. */
  readonly restartedAt: string | undefined;
}

/** Observed, every replica of the present template available and no other left. */
export function isRolledOut(deployment: WatchedDeployment): boolean {
  return (
    deployment.observedGeneration >= deployment.generation &&
    deployment.updated === deployment.replicas &&
    deployment.available === deployment.replicas &&
    deployment.total === deployment.replicas
  );
}

/**
 * Whether a rollout is under way that its deadline has not ended. A Deployment without a deadline has no such condition: there the
 * replicas of the old template tell.
 */
export function isProgressing(deployment: WatchedDeployment): boolean {
  if (deployment.observedGeneration < deployment.generation) return true;
  const progressing = deployment.conditions.find((condition) => condition.type === 'Progressing');
  if (progressing === undefined) return deployment.updated < Math.max(deployment.replicas, deployment.total);
  return progressing.status === 'True' && progressing.reason !== 'NewReplicaSetAvailable';
}

/** How far a rollout has come at most. */
export interface RolloutMarks extends Pick<WatchedDeployment, 'updated' | 'ready' | 'available'> {
  readonly revision: number | string | undefined;
}

/**
 * The marks of a rollout that came further than ever, or began; undefined where it did not. Compared with the best and not with the
 * last: a crashing pod without a readiness probe is ready for a moment after each restart, and an autoscaler changes the generation.
 */
export function progressOf(best: RolloutMarks | undefined, now: RolloutMarks): RolloutMarks | undefined {
  const { revision, updated, ready, available } = now;
  if (best === undefined || best.revision !== revision) return { revision, updated, ready, available };
  if (updated <= best.updated && ready <= best.ready && available <= best.available) return undefined;
  return {
    revision,
    updated: Math.max(updated, best.updated),
    ready: Math.max(ready, best.ready),
    available: Math.max(available, best.available),
  };
}

export function detectDeployment(deployment: WatchedDeployment): readonly Symptom[] {
  const progressing = deployment.conditions.find((condition) => condition.type === 'Progressing');
  if (progressing?.status === 'False' && progressing.reason === 'ProgressDeadlineExceeded') {
    return [mismatch(deployment, 'ProgressDeadlineExceeded', progressing.message ?? 'the rollout does not progress')];
  }
  const failure = deployment.conditions.find((condition) => condition.type === 'ReplicaFailure');
  if (failure?.status === 'True') {
    return [{ ...mismatch(deployment, failure.reason ?? 'ReplicaFailure', failure.message ?? ''), hold: 'config' }];
  }
  if (deployment.observedGeneration < deployment.generation || deployment.available >= deployment.replicas) return [];
  const found = `${deployment.available} of ${deployment.replicas} replicas are available`;
  return [{ ...mismatch(deployment, 'ReplicasUnavailable', found), hold: 'replicas' }];
}

function mismatch(deployment: WatchedDeployment, reason: string, message: string): Symptom {
  return {
    key: `ReplicaMismatch/${reason}`,
    kind: 'ReplicaMismatch',
    severity: 'warning',
    reason,
    message: `Deployment ${deployment.name}: ${message}`,
  };
}

/** What happened between two sights of a Deployment and is no fault. `rolling`: a rollout was seen to begin and has not been noted yet. */
export function noteDeploymentChange(
  before: WatchedDeployment | undefined,
  now: WatchedDeployment,
  rolling: boolean,
): readonly BenignNote[] {
  if (before === undefined) return [];
  const notes: BenignNote[] = [];
  const what = `Deployment ${now.name}`;
  if (before.replicas !== now.replicas) {
    notes.push(
      now.replicas === 0
        ? {
            kind: 'ReplicaMismatch',
            reason: 'scaled-to-zero',
            message: `${what} was scaled from ${before.replicas} to zero on purpose`,
          }
        : {
            kind: 'ReplicaMismatch',
            reason: 'scaled',
            message: `${what} was scaled from ${before.replicas} to ${now.replicas} on purpose`,
          },
    );
  }
  if (rolling && isRolledOut(now)) {
    notes.push({
      kind: 'ReplicaMismatch',
      reason: 'rollout-completed',
      message: `the rollout of ${what} to revision ${now.revision ?? 'unknown'} completed; restarts of its pods were part of it`,
    });
  }
  return notes;
}

export function detectJob(job: JobFact): readonly Symptom[] {
  const failed = job.conditions.find((condition) => condition.type === 'Failed' && condition.status === 'True');
  if (failed === undefined) return [];
  return [
    {
      key: 'JobFailed',
      kind: 'JobFailed',
      severity: 'warning',
      reason: failed.reason ?? 'JobFailed',
      message: `Job ${job.name} failed: ${failed.message ?? failed.reason ?? 'no message'}`,
      ...(failed.since === undefined ? {} : { since: failed.since }),
    },
  ];
}

export function isComplete(job: JobFact): boolean {
  return job.conditions.some((condition) => condition.type === 'Complete' && condition.status === 'True');
}

export function noteJobChange(before: JobFact | undefined, now: JobFact): readonly BenignNote[] {
  if (!isComplete(now) || (before !== undefined && isComplete(before))) return [];
  if (now.failed === 0)
    return [
      { kind: 'JobFailed', reason: 'job-completed', message: `Job ${now.name} ran to its end; its pods are done` },
    ];
  const message = `Job ${now.name} succeeded after ${now.failed} failed ${now.failed === 1 ? 'try' : 'tries'}`;
  return [{ kind: 'JobFailed', reason: 'job-retry-succeeded', message }];
}
