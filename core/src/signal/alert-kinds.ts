import { LABEL_DOMAIN } from '../names.ts';
import { type Severity, SIGNAL_KINDS, type SignalKind } from './kind.ts';

/** Alert names of the rules that most clusters run, by what they say. */
const KIND_OF_ALERT: Readonly<Record<string, SignalKind>> = {
  KubePodCrashLooping: 'CrashLoopBackOff',
  KubePodNotReady: 'PodNotReady',
  KubeContainerWaiting: 'PodNotReady',
  KubeContainerOOMKilled: 'OomKilled',
  KubePodOOMKilled: 'OomKilled',
  KubeImagePullBackOff: 'ImagePullBackOff',
  KubePodUnschedulable: 'Unschedulable',
  KubeDeploymentReplicasMismatch: 'ReplicaMismatch',
  KubeDeploymentGenerationMismatch: 'ReplicaMismatch',
  KubeDeploymentRolloutStuck: 'ReplicaMismatch',
  KubeStatefulSetReplicasMismatch: 'ReplicaMismatch',
  KubeStatefulSetGenerationMismatch: 'ReplicaMismatch',
  KubeStatefulSetUpdateNotRolledOut: 'ReplicaMismatch',
  KubeDaemonSetRolloutStuck: 'ReplicaMismatch',
  KubeDaemonSetNotScheduled: 'Unschedulable',
  KubeJobFailed: 'JobFailed',
  KubeJobNotCompleted: 'JobFailed',
  KubeNodeNotReady: 'NodePressure',
  KubeNodeUnreachable: 'NodePressure',
  KubeNodePressure: 'NodePressure',
  KubeNodeReadinessFlapping: 'NodePressure',
  KubePersistentVolumeFillingUp: 'PvcNearlyFull',
  TargetDown: 'TargetDown',
  Watchdog: 'Watchdog',
  DeadMansSwitch: 'Watchdog',
  InfoInhibitor: 'Watchdog',
};

const KIND_LABEL = `${LABEL_DOMAIN.split('.')[0]}_kind`;

/** A rule's author may say the kind outright in the label `hephaisto_kind`; otherwise the alert's name tells, or nothing does. */
export function kindOfAlert(labels: Readonly<Record<string, string>>): SignalKind {
  const said = labels[KIND_LABEL];
  const known = SIGNAL_KINDS.find((kind) => kind === said);
  if (known !== undefined) return known;
  const name = labels.alertname ?? '';
  return Object.hasOwn(KIND_OF_ALERT, name) ? (KIND_OF_ALERT[name] ?? 'Unknown') : 'Unknown';
}

const SEVERITY_OF: Readonly<Record<string, Severity>> = {
  critical: 'critical',
  page: 'critical',
  emergency: 'critical',
  disaster: 'critical',
  fatal: 'critical',
  crit: 'critical',
  error: 'critical',
  high: 'critical',
  p0: 'critical',
  p1: 'critical',
  warning: 'warning',
  warn: 'warning',
  ticket: 'warning',
  medium: 'warning',
  p2: 'warning',
  info: 'info',
  information: 'info',
  informational: 'info',
  notice: 'info',
  none: 'info',
  ok: 'info',
  success: 'info',
  trace: 'info',
  low: 'info',
  debug: 'info',
};

/** A missing or unknown word is a warning: neither waking somebody for it nor hiding it is right. */
export function severityOfAlert(labels: Readonly<Record<string, string>>): Severity {
  const word = (labels.severity ?? '').trim().toLowerCase();
  return Object.hasOwn(SEVERITY_OF, word) ? (SEVERITY_OF[word] ?? 'warning') : 'warning';
}
