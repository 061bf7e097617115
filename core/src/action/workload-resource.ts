/** Controllers whose pod template we may patch, by kind. */
export const TEMPLATE_RESOURCES: Readonly<Record<string, string>> = {
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
};

export const TARGET_KINDS = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Pod', 'Job', 'CronJob'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

interface ApiPlace {
  readonly apiVersion: string;
  readonly resource: string;
}

/** Where the API serves each kind that an action may name. */
export const TARGET_RESOURCES: Readonly<Record<TargetKind, ApiPlace> & Partial<Record<string, ApiPlace>>> = {
  Deployment: { apiVersion: 'apps/v1', resource: 'deployments' },
  StatefulSet: { apiVersion: 'apps/v1', resource: 'statefulsets' },
  DaemonSet: { apiVersion: 'apps/v1', resource: 'daemonsets' },
  ReplicaSet: { apiVersion: 'apps/v1', resource: 'replicasets' },
  Pod: { apiVersion: 'v1', resource: 'pods' },
  Job: { apiVersion: 'batch/v1', resource: 'jobs' },
  CronJob: { apiVersion: 'batch/v1', resource: 'cronjobs' },
};

export function isTargetKind(kind: string): kind is TargetKind {
  return Object.hasOwn(TARGET_RESOURCES, kind);
}
