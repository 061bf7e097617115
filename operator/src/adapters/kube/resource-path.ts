/** Where the API serves a resource. Namespace '' is the whole cluster; name '' is the collection. */
export function resourcePath(apiVersion: string, resource: string, namespace: string, name: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const object = name === '' ? '' : `/${encodeURIComponent(name)}`;
  return `${root}${scope}/${resource}${object}`;
}

/** A label selector of equalities. */
export function labelSelector(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

export const WORKLOAD_RESOURCES: Readonly<Record<string, string>> = {
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
  ReplicaSet: 'replicasets',
};
