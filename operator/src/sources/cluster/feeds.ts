import { projectEvent } from '@hephaisto/core/facts/project-event';
import { projectJob } from '@hephaisto/core/facts/project-job';
import { projectMeta } from '@hephaisto/core/facts/project-meta';
import { projectNode } from '@hephaisto/core/facts/project-node';
import { projectPod } from '@hephaisto/core/facts/project-pod';
import { projectWorkload } from '@hephaisto/core/facts/project-workload';
import { numberAt, type Raw, recordAt } from '@hephaisto/core/facts/raw';
import type { FeedTarget } from '@hephaisto/core/ports/object-feed';
import type { WatchedDeployment } from '@hephaisto/core/signal/detect-workload';
import { type WatchedPodSet, watchPodSet } from '@hephaisto/core/signal/pod-set-rollout';
import { watchPod } from '@hephaisto/core/signal/watched';
import { watchWorkload } from '@hephaisto/core/signal/watched-workload';
import type { ClusterView, PodSetKind, WatchedReplicaSet } from './cluster-view.ts';
import type { HealthTally } from './health-tally.ts';

/** How one kind of object gets into the view. */
export interface Intake<Item> {
  project(object: Raw): Item;
  uid(item: Item): string;
  namespace(item: Item): string;
  put(view: ClusterView, item: Item): void;
  gone(view: ClusterView, uid: string): void;
  /** Uids that the view holds of the kind; empty for kinds that it does not keep. */
  held(view: ClusterView, namespace: string): readonly string[];
  /** How the kind counts for the health of the cluster; absent for kinds that do not. */
  readonly tally?: {
    put(tally: HealthTally, item: Item): void;
    gone(tally: HealthTally, uid: string): void;
    replaced(tally: HealthTally, namespace: string, items: readonly Item[]): void;
  };
}

function intake<Item>(definition: Intake<Item>): Intake<Item> {
  return definition;
}

export const POD_INTAKE = intake({
  project: (object) => watchPod(projectPod(object)),
  uid: (pod) => pod.uid,
  namespace: (pod) => pod.namespace,
  put: (view, pod) => view.pod(pod),
  gone: (view, uid) => view.podGone(uid),
  held: (view, namespace) => view.uidsOf('pods', namespace),
  tally: {
    put: (tally, pod) => tally.pod(pod),
    gone: (tally, uid) => tally.podGone(uid),
    replaced: (tally, namespace, pods) => tally.podsReplaced(namespace, pods),
  },
});

export const REPLICASET_INTAKE = intake({
  project: (object): WatchedReplicaSet => {
    const { uid, name, namespace, owners } = projectMeta(object);
    const replicas = numberAt(recordAt(object, 'spec'), 'replicas') ?? 1;
    return { uid, name, namespace, controller: owners.find((owner) => owner.controller), replicas };
  },
  uid: (set) => set.uid,
  namespace: (set) => set.namespace,
  put: (view, set) => view.replicaSet(set),
  gone: (view, uid) => view.replicaSetGone(uid),
  held: (view, namespace) => view.uidsOf('replicasets', namespace),
});

export const DEPLOYMENT_INTAKE = intake({
  project: (object): WatchedDeployment => {
    const fact = projectWorkload(object, 'Deployment');
    const template = recordAt(object, 'spec', 'template', 'metadata', 'annotations');
    const restarted = template['kubectl.kubernetes.io/restartedAt'];
    return {
      ...watchWorkload(fact),
      revision: fact.revision,
      conditions: fact.conditions,
      total: fact.status.replicas,
      restartedAt: typeof restarted === 'string' ? restarted : undefined,
    };
  },
  uid: (deployment) => deployment.uid,
  namespace: (deployment) => deployment.namespace,
  put: (view, deployment) => view.deployment(deployment),
  gone: (view, uid) => view.deploymentGone(uid),
  held: (view, namespace) => view.uidsOf('deployments', namespace),
});

function podSetIntake(kind: 'StatefulSet' | 'DaemonSet', resource: PodSetKind): Intake<WatchedPodSet> {
  return intake({
    project: (object) => watchPodSet(projectWorkload(object, kind)),
    uid: (set) => set.uid,
    namespace: (set) => set.namespace,
    put: (view, set) => view.podSet(resource, set),
    gone: (view, uid) => view.podSetGone(resource, uid),
    held: (view, namespace) => view.uidsOf(resource, namespace),
  });
}

export const STATEFULSET_INTAKE = podSetIntake('StatefulSet', 'statefulsets');
export const DAEMONSET_INTAKE = podSetIntake('DaemonSet', 'daemonsets');

export const JOB_INTAKE = intake({
  project: (object) => {
    const { specs: _unused, ...job } = projectJob(object);
    return job;
  },
  uid: (job) => job.uid,
  namespace: (job) => job.namespace,
  put: (view, job) => view.job(job),
  gone: (view, uid) => view.jobGone(uid),
  held: (view, namespace) => view.uidsOf('jobs', namespace),
});

export const NODE_INTAKE = intake({
  project: projectNode,
  uid: (node) => node.uid,
  namespace: () => '',
  put: (view, node) => view.node(node),
  gone: (view, uid) => view.nodeGone(uid),
  held: (view) => view.uidsOf('nodes', ''),
  tally: {
    put: (tally, node) => tally.node(node),
    gone: (tally, uid) => tally.nodeGone(uid),
    replaced: (tally, _namespace, nodes) => tally.nodesReplaced(nodes),
  },
});

export const EVENT_INTAKE = intake({
  project: projectEvent,
  uid: (event) => event.uid,
  namespace: (event) => event.regarding.namespace,
  put: (view, event) => view.events.event(event),
  gone: () => undefined,
  held: () => [],
});

/** Core before apps: what owners are told from comes first. */
export const WATCHED: readonly {
  readonly apiVersion: string;
  readonly resource: string;
  readonly namespaced: boolean;
}[] = [
  { apiVersion: 'v1', resource: 'nodes', namespaced: false },
  { apiVersion: 'apps/v1', resource: 'replicasets', namespaced: true },
  { apiVersion: 'batch/v1', resource: 'jobs', namespaced: true },
  { apiVersion: 'apps/v1', resource: 'deployments', namespaced: true },
  { apiVersion: 'apps/v1', resource: 'statefulsets', namespaced: true },
  { apiVersion: 'apps/v1', resource: 'daemonsets', namespaced: true },
  { apiVersion: 'v1', resource: 'pods', namespaced: true },
  { apiVersion: 'v1', resource: 'events', namespaced: true },
];

/** One feed a kind, or one a kind and namespace where namespaces are named. */
export function feedTargets(namespaces: readonly string[]): readonly FeedTarget[] {
  return WATCHED.flatMap(({ apiVersion, resource, namespaced }) =>
    (namespaced && namespaces.length > 0 ? namespaces : ['']).map((namespace) => ({ apiVersion, resource, namespace })),
  );
}
