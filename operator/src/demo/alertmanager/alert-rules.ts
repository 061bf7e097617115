import type { KubeObject } from '../cluster/object.ts';
import type { ContainerStatus, Pod } from '../kube-client/pod.ts';
import type { Deployment, Job } from '../kube-client/workload.ts';
import type { RuleName } from '../stories/alert-source.ts';
import type { Labels } from './alert.ts';

/** What rules see of one namespace. */
export interface RuleWorld {
  readonly pods: readonly Pod[];
  readonly deployments: readonly Deployment[];
  readonly jobs: readonly Job[];
}

function labelled(rule: RuleName, labels: Record<string, string>): Labels {
  return { alertname: rule, job: 'kube-state-metrics', prometheus: 'monitoring/k8s', severity: 'warning', ...labels };
}

function place(object: KubeObject): { readonly namespace: string } {
  return { namespace: object.metadata.namespace ?? '' };
}

function statuses(pod: Pod): readonly ContainerStatus[] {
  return [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
}

function waitingContainers(
  rule: RuleName,
  pods: readonly Pod[],
  counts: (reason: string) => boolean,
): readonly Labels[] {
  return pods.flatMap((pod) =>
    statuses(pod).flatMap((status) => {
      const reason = status.state.waiting?.reason;
      if (reason === undefined || !counts(reason)) return [];
      const { name, uid = '' } = pod.metadata;
      return [labelled(rule, { ...place(pod), pod: name, container: status.name, reason, uid })];
    }),
  );
}

function ownedByJob(pod: Pod): boolean {
  return pod.metadata.ownerReferences?.some((owner) => owner.kind === 'Job') === true;
}

const EXPRESSIONS: Readonly<Record<RuleName, (world: RuleWorld) => readonly Labels[]>> = {
  KubePodCrashLooping: ({ pods }) =>
    waitingContainers('KubePodCrashLooping', pods, (reason) => reason === 'CrashLoopBackOff'),
  KubeContainerWaiting: ({ pods }) =>
    waitingContainers('KubeContainerWaiting', pods, (reason) => reason !== 'CrashLoopBackOff'),
  KubePodNotReady: ({ pods }) =>
    pods
      .filter((pod) => (pod.status?.phase === 'Pending' || pod.status?.phase === 'Unknown') && !ownedByJob(pod))
      .map((pod) => labelled('KubePodNotReady', { ...place(pod), pod: pod.metadata.name })),
  KubeDeploymentReplicasMismatch: ({ deployments }) =>
    deployments
      .filter((each) => (each.spec.replicas ?? 1) > (each.status?.availableReplicas ?? 0))
      .map((each) => labelled('KubeDeploymentReplicasMismatch', { ...place(each), deployment: each.metadata.name })),
  KubeDeploymentRolloutStuck: ({ deployments }) =>
    deployments
      .filter((each) => each.status?.conditions?.some((one) => one.type === 'Progressing' && one.status === 'False'))
      .map((each) => labelled('KubeDeploymentRolloutStuck', { ...place(each), deployment: each.metadata.name })),
  KubeJobFailed: ({ jobs }) =>
    jobs
      .filter((job) => job.status?.conditions?.some((one) => one.type === 'Failed' && one.status === 'True'))
      .map((job) => labelled('KubeJobFailed', { ...place(job), job_name: job.metadata.name })),
};

function belongs(object: KubeObject, workload: string | undefined): boolean {
  return workload === undefined || object.metadata.labels?.['app.kubernetes.io/name'] === workload;
}

/** The label sets for which the rule's expression is true right now. */
export function trueFor(rule: RuleName, world: RuleWorld, workload?: string): readonly Labels[] {
  return EXPRESSIONS[rule]({
    pods: world.pods.filter((pod) => belongs(pod, workload)),
    deployments: world.deployments.filter((deployment) => belongs(deployment, workload)),
    jobs: world.jobs.filter((job) => belongs(job, workload)),
  });
}
