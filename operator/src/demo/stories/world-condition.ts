import { assertNever } from '@hephaisto/core/assert-never';
import type { ContainerStatus, Pod } from '../kube-client/pod.ts';
import type { Deployment, Job } from '../kube-client/workload.ts';
import type { WorldCondition } from './story.ts';

/** What a condition is decided from: the objects of the run's namespace. */
export interface WorldView {
  readonly pods: readonly Pod[];
  readonly deployments: readonly Deployment[];
  readonly jobs: readonly Job[];
}

export type ConditionState = { readonly kind: 'holds' } | { readonly kind: 'not-yet'; readonly found: string };

function verdict(holds: boolean, found: string): ConditionState {
  return holds ? { kind: 'holds' } : { kind: 'not-yet', found };
}

function isRolledOut(deployment: Deployment): boolean {
  const wanted = deployment.spec.replicas ?? 1;
  const { observedGeneration = 0, updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = deployment.status ?? {};
  return (
    observedGeneration >= (deployment.metadata.generation ?? 0) &&
    updatedReplicas === wanted &&
    replicas === wanted &&
    availableReplicas === wanted
  );
}

function statuses(pod: Pod): readonly ContainerStatus[] {
  return [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
}

function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;
}

function isUnscheduled(pod: Pod): boolean {
  return (
    pod.status?.conditions?.some((each) => each.type === 'PodScheduled' && each.reason === 'Unschedulable') === true
  );
}

function jobComplete(job: Job): boolean {
  return job.status?.conditions?.some((each) => each.type === 'Complete' && each.status === 'True') === true;
}

/** Pods of a workload that nobody has asked to go. */
export function podsOf(view: Pick<WorldView, 'pods'>, workload: string): readonly Pod[] {
  return view.pods.filter(
    (pod) =>
      pod.metadata.labels?.['app.kubernetes.io/name'] === workload && pod.metadata.deletionTimestamp === undefined,
  );
}

/** Whether the condition holds in this view, and if not, what was found instead. */
export function conditionState(condition: WorldCondition, view: WorldView): ConditionState {
  switch (condition.kind) {
    case 'rolled-out': {
      const found = view.deployments.find((each) => each.metadata.name === condition.deployment);
      return verdict(found !== undefined && isRolledOut(found), `status ${JSON.stringify(found?.status ?? null)}`);
    }
    case 'all-rolled-out': {
      const left = view.deployments.filter((each) => !isRolledOut(each)).map((each) => each.metadata.name);
      const none = view.deployments.length === 0;
      return verdict(!none && left.length === 0, none ? 'no deployments' : `not rolled out: ${left.join(', ')}`);
    }
    case 'container-waiting': {
      const reasons = podsOf(view, condition.workload).flatMap((pod) =>
        statuses(pod).map((one) => one.state.waiting?.reason),
      );
      return verdict(
        reasons.includes(condition.reason),
        `waiting reasons: ${reasons.filter(Boolean).join(', ') || 'none'}`,
      );
    }
    case 'restarts-at-least': {
      const most = Math.max(
        0,
        ...podsOf(view, condition.workload).flatMap((pod) => statuses(pod).map((one) => one.restartCount)),
      );
      return verdict(most >= condition.count, `at most ${most} restarts`);
    }
    case 'ready-pods': {
      const ready = podsOf(view, condition.workload).filter(isReady).length;
      return verdict(ready === condition.count, `${ready} ready`);
    }
    case 'unscheduled-pod':
      return verdict(podsOf(view, condition.workload).some(isUnscheduled), 'no pod marked Unschedulable');
    case 'job-complete':
      return verdict(
        view.jobs.some((each) => each.metadata.name === condition.job && jobComplete(each)),
        'not complete',
      );
    default:
      return assertNever(condition);
  }
}
