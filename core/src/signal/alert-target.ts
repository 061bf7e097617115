import { cleanText, clip } from './clean-text.ts';
import { isPossibleName, LONGEST_NAME } from './indexed-text.ts';
import type { OwnerRef } from './observation.ts';

/** Which label names what. The first label that is present wins. */
export interface LabelMapping {
  readonly cluster: readonly string[];
  readonly namespace: readonly string[];
  readonly pod: readonly string[];
  readonly node: readonly string[];
  /** Object kind by label, in order of preference. */
  readonly owners: readonly { readonly label: string; readonly kind: string }[];
}

/**
 * `exported_…` first: where a scrape does not honour labels, the plain ones are the exporter's own and the object's were renamed.
 */
export const DEFAULT_LABEL_MAPPING: LabelMapping = {
  cluster: ['cluster', 'cluster_name', 'k8s_cluster'],
  namespace: ['exported_namespace', 'namespace', 'kubernetes_namespace'],
  pod: ['exported_pod', 'pod', 'pod_name', 'kubernetes_pod_name'],
  node: ['exported_node', 'node', 'kubernetes_node'],
  owners: [
    { label: 'deployment', kind: 'Deployment' },
    { label: 'statefulset', kind: 'StatefulSet' },
    { label: 'daemonset', kind: 'DaemonSet' },
    { label: 'cronjob', kind: 'CronJob' },
    { label: 'job_name', kind: 'Job' },
    { label: 'replicaset', kind: 'ReplicaSet' },
    { label: 'horizontalpodautoscaler', kind: 'HorizontalPodAutoscaler' },
    { label: 'persistentvolumeclaim', kind: 'PersistentVolumeClaim' },
    { label: 'ingress', kind: 'Ingress' },
  ],
};

/** What an alert is about, as far as its labels say. `look-up`: a pod is named and its owner must be found. */
export interface AlertTarget {
  readonly cluster: string | undefined;
  readonly namespace: string | undefined;
  readonly owner: OwnerRef | undefined;
  readonly podName: string | undefined;
  readonly nodeName: string | undefined;
}

/** Reads the target from labels alone. The pod label of an exporter is never taken for the object. */
export function targetOfAlert(labels: Readonly<Record<string, string>>, mapping: LabelMapping): AlertTarget {
  const podName = objectPod(labels, mapping);
  const nodeName = first(labels, mapping.node);
  const owner = workloadOwner(labels, mapping) ?? otherOwner(labels, podName, nodeName);
  const aboutNode = owner?.kind === 'Node';
  return {
    cluster: first(labels, mapping.cluster),
    // A node lives in no namespace; the label is the exporter's.
    namespace: aboutNode ? undefined : first(labels, mapping.namespace),
    owner,
    podName,
    nodeName,
  };
}

function workloadOwner(labels: Readonly<Record<string, string>>, mapping: LabelMapping): OwnerRef | undefined {
  for (const { label, kind } of mapping.owners) {
    const name = labels[`exported_${label}`] ?? labels[label];
    if (name !== undefined && isPossibleName(name)) return { kind, name };
  }
  return undefined;
}

function otherOwner(
  labels: Readonly<Record<string, string>>,
  podName: string | undefined,
  nodeName: string | undefined,
): OwnerRef | undefined {
  if (podName !== undefined) return undefined;
  if (nodeName !== undefined) return { kind: 'Node', name: nodeName };
  if (isExporter(labels.job ?? '')) return undefined;
  for (const [label, kind] of [
    ['service', 'Service'],
    ['job', 'Target'],
    ['instance', 'Instance'],
  ] as const) {
    const name = labels[label];
    if (name !== undefined && isPossibleName(name)) return { kind, name };
  }
  return undefined;
}

/** Labels that may name the object of an alert. */
export function labelsThatName(mapping: LabelMapping): readonly string[] {
  const owners = mapping.owners.flatMap(({ label }) => [`exported_${label}`, label]);
  const asked = [...mapping.cluster, ...mapping.namespace, ...mapping.pod, ...mapping.node, ...owners];
  return [...new Set([...asked, 'service', 'job', 'instance'])];
}

/** What labels that should name an object hold instead, one sentence each; they are passed over, so the alert is about less. */
export function oddNames(labels: Readonly<Record<string, string>>, mapping: LabelMapping): readonly string[] {
  return labelsThatName(mapping).flatMap((label) => {
    const value = Object.hasOwn(labels, label) ? (labels[label] ?? '') : '';
    if (value === '' || isPossibleName(value)) return [];
    const found = `${value.length} characters \`${clip(cleanText(value), 80)}\``;
    return `labels.${label}: expected a name of at most ${LONGEST_NAME} characters, none of them a control character, found ${found}; not taken for a name`;
  });
}

const EXPORTERS = ['kube-state-metrics', 'node-exporter', 'prometheus-node-exporter', 'blackbox-exporter', 'cadvisor'];

function isExporter(name: string): boolean {
  return EXPORTERS.some((exporter) => name === exporter || name.endsWith(`-${exporter}`));
}

function objectPod(labels: Readonly<Record<string, string>>, mapping: LabelMapping): string | undefined {
  const pod = first(labels, mapping.pod);
  if (pod === undefined || labels.exported_pod !== undefined) return pod;
  const exporters = EXPORTERS.some((exporter) => pod.startsWith(`${exporter}-`) || pod.includes(`-${exporter}-`));
  return exporters ? undefined : pod;
}

function first(labels: Readonly<Record<string, string>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
    if (value !== undefined && isPossibleName(value)) return value;
  }
  return undefined;
}

/**
 * The owner that a pod's name suggests, for when nobody can be asked: controllers build names as owner, template hash, suffix. Always
 * the same answer for the same name, so a look-up that fails twice does not make two faults. A number at
 * the end suggests nothing: anybody may name a pod so, and a StatefulSet that is not there would be blamed.
 */
export function guessOwner(podName: string): { readonly owner: OwnerRef; readonly chain: readonly string[] } {
  const replicaSet = /^(.+)-([bcdf0-9][bcdfghjklmnpqrstvwxz2456789]{4,9})-[bcdfghjklmnpqrstvwxz2456789]{5}$/.exec(
    podName,
  );
  if (replicaSet?.[1] !== undefined && replicaSet[2] !== undefined) {
    const name = replicaSet[1];
    return {
      owner: { kind: 'Deployment', name },
      chain: [`Pod/${podName}`, `ReplicaSet/${name}-${replicaSet[2]}`, `Deployment/${name}`],
    };
  }
  return { owner: { kind: 'Pod', name: podName }, chain: [`Pod/${podName}`] };
}
