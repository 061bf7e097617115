import type { GroupVersionResource } from '../../cluster/object.ts';

export const PODS: GroupVersionResource = { group: '', version: 'v1', resource: 'pods' };
export const NODES: GroupVersionResource = { group: '', version: 'v1', resource: 'nodes' };
export const SERVICES: GroupVersionResource = { group: '', version: 'v1', resource: 'services' };
export const EVENTS: GroupVersionResource = { group: '', version: 'v1', resource: 'events' };
export const NAMESPACES: GroupVersionResource = { group: '', version: 'v1', resource: 'namespaces' };
export const CONFIG_MAPS: GroupVersionResource = { group: '', version: 'v1', resource: 'configmaps' };
export const SERVICE_ACCOUNTS: GroupVersionResource = { group: '', version: 'v1', resource: 'serviceaccounts' };
export const DEPLOYMENTS: GroupVersionResource = { group: 'apps', version: 'v1', resource: 'deployments' };
export const REPLICA_SETS: GroupVersionResource = { group: 'apps', version: 'v1', resource: 'replicasets' };
export const JOBS: GroupVersionResource = { group: 'batch', version: 'v1', resource: 'jobs' };
export const LEASES: GroupVersionResource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
export const ENDPOINT_SLICES: GroupVersionResource = {
  group: 'discovery.k8s.io',
  version: 'v1',
  resource: 'endpointslices',
};
export const DISRUPTION_BUDGETS: GroupVersionResource = {
  group: 'policy',
  version: 'v1',
  resource: 'poddisruptionbudgets',
};
