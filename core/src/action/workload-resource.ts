/** Controllers whose pod template we may patch, by kind. */
export const TEMPLATE_RESOURCES: Readonly<Record<string, string>> = {
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
};

/** Where the API serves each kind that an action may name. */
export const TARGET_RESOURCES: Readonly<Record<string, { readonly apiVersion: string; readonly resource: string }>> = {
  Deployment: { apiVersion: 'apps/v1', resource: 'deployments' },
  StatefulSet: { apiVersion: 'apps/v1', resource: 'statefulsets' },
  DaemonSet: { apiVersion: 'apps/v1', resource: 'daemonsets' },
  ReplicaSet: { apiVersion: 'apps/v1', resource: 'replicasets' },
  Pod: { apiVersion: 'v1', resource: 'pods' },
  Job: { apiVersion: 'batch/v1', resource: 'jobs' },
  CronJob: { apiVersion: 'batch/v1', resource: 'cronjobs' },
};
