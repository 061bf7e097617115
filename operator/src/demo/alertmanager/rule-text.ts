import type { RuleName } from '../stories/alert-source.ts';

interface RuleText {
  readonly summary: string;
  /** `{label}` stands for the alert's label. */
  readonly description: string;
  readonly expression: string;
}

/** Annotations and expressions of kube-prometheus's rules, word for word where no duration is named. */
export const RULE_TEXTS: Readonly<Record<RuleName, RuleText>> = {
  KubePodCrashLooping: {
    summary: 'Pod is crash looping.',
    description: 'Pod {namespace}/{pod} ({container}) is in waiting state (reason: "CrashLoopBackOff") on cluster .',
    expression:
      'max_over_time(kube_pod_container_status_waiting_reason{reason="CrashLoopBackOff", job="kube-state-metrics"}[5m]) >= 1',
  },
  KubePodNotReady: {
    summary: 'Pod has been in a non-ready state for a long time.',
    description: 'Pod {namespace}/{pod} has been in a non-ready state for a long time on cluster .',
    expression: 'sum by (namespace, pod, job, cluster) (kube_pod_status_phase{phase=~"Pending|Unknown"}) > 0',
  },
  KubeContainerWaiting: {
    summary: 'Pod container waiting for a long time',
    description:
      'pod/{pod} in namespace {namespace} on container {container} has been in waiting state for a long time. (reason: "{reason}") on cluster .',
    expression: 'kube_pod_container_status_waiting_reason{reason!="CrashLoopBackOff", job="kube-state-metrics"} > 0',
  },
  KubeDeploymentReplicasMismatch: {
    summary: 'Deployment has not matched the expected number of replicas.',
    description:
      'Deployment {namespace}/{deployment} has not matched the expected number of replicas for a long time on cluster .',
    expression: 'kube_deployment_spec_replicas > kube_deployment_status_replicas_available',
  },
  KubeDeploymentRolloutStuck: {
    summary: 'Deployment rollout is not progressing.',
    description: 'Rollout of deployment {namespace}/{deployment} is not progressing for a long time on cluster .',
    expression: 'kube_deployment_status_condition{condition="Progressing", status="false"} != 0',
  },
  KubeJobFailed: {
    summary: 'Job failed to complete.',
    description:
      'Job {namespace}/{job_name} failed to complete. Removing failed job after investigation should clear this alert on cluster .',
    expression: 'kube_job_failed{job="kube-state-metrics"} > 0',
  },
};

/** The annotations of one alert of a rule. */
export function annotationsOf(rule: RuleName, labels: Readonly<Record<string, string>>): Record<string, string> {
  const text = RULE_TEXTS[rule];
  return {
    description: text.description.replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) => labels[name] ?? whole),
    runbook_url: `https://runbooks.prometheus-operator.dev/runbooks/kubernetes/${rule.toLowerCase()}`,
    summary: text.summary,
  };
}
