/** Names of the alerting rules of kube-prometheus that the stories' rule evaluation knows. */
export type RuleName =
  | 'KubePodCrashLooping'
  | 'KubePodNotReady'
  | 'KubeContainerWaiting'
  | 'KubeDeploymentReplicasMismatch'
  | 'KubeDeploymentRolloutStuck'
  | 'KubeJobFailed';

/**
 * Where a story's alerts come from: a rule over what is really the case in the cluster, which therefore resolves when the
 * fault is gone, or a scripted one for what no rule of the cluster says.
 */
export type AlertSource =
  | {
      readonly kind: 'rule';
      readonly rule: RuleName;
      /** Value of `app.kubernetes.io/name`; absent: everything in the namespace. */
      readonly workload?: string;
      /** How long the expression must hold; shorter than the rule's own, like everything in a story. */
      readonly forSeconds: number;
      /** Replaces annotations of the rule, for texts that give orders. */
      readonly annotations?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'scripted';
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
      /** Seconds after the story's start; absent end: fires as long as the story runs. */
      readonly from: number;
      readonly to?: number;
    };
