import type { GroupVersionResource, KubeObject } from '../../cluster/object.ts';
import { type ControllerContext, type Running, removeIfPresent, runningWith } from '../runtime/context.ts';
import { deletePod } from '../runtime/delete-pod.ts';
import { createWorkQueue, type Outcome, SETTLED } from '../runtime/work-queue.ts';
import type { Pod } from '../shape/pod.ts';
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  ENDPOINT_SLICES,
  JOBS,
  NODES,
  PODS,
  REPLICA_SETS,
  SERVICE_ACCOUNTS,
  SERVICES,
} from '../shape/resources.ts';
import { decideGarbage } from './decide-garbage.ts';

const COMPONENT = 'garbage-collector-controller';

/** The types between which ownership is followed, by the kind that a reference names. */
const OWNERSHIP: Readonly<Record<string, GroupVersionResource>> = {
  Pod: PODS,
  Service: SERVICES,
  ConfigMap: CONFIG_MAPS,
  ServiceAccount: SERVICE_ACCOUNTS,
  Node: NODES,
  Deployment: DEPLOYMENTS,
  ReplicaSet: REPLICA_SETS,
  StatefulSet: { group: 'apps', version: 'v1', resource: 'statefulsets' },
  DaemonSet: { group: 'apps', version: 'v1', resource: 'daemonsets' },
  Job: JOBS,
  CronJob: { group: 'batch', version: 'v1', resource: 'cronjobs' },
  EndpointSlice: ENDPOINT_SLICES,
  PodDisruptionBudget: DISRUPTION_BUDGETS,
};

/** Removes what is left behind when its owners are gone. Orphans carry no reference any more and stay. */
export function startGarbageCollector(context: ControllerContext): Running {
  const { store, pace } = context;
  const owners = new Map<string, Set<string>>();
  const queue = createWorkQueue({
    pace,
    reconcile: (key) => reconcile(context, key),
    onError: (key, error) => context.onError(COMPONENT, key, error),
  });
  const note = (kind: string, object: KubeObject): void => {
    const key = `${kind}|${object.metadata.namespace ?? ''}|${object.metadata.name}`;
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const dependents = owners.get(uid) ?? new Set<string>();
      owners.set(uid, dependents.add(key));
    }
    // An object may be made for an owner that went meanwhile: nobody will announce that owner's end again.
    if ((object.metadata.ownerReferences ?? []).length > 0) queue.add(key);
  };
  const unsubscribe = Object.entries(OWNERSHIP).map(([kind, gvr]) =>
    store.subscribe(gvr, ({ type, object }) => {
      if (type === 'ADDED') note(kind, object);
      if (type !== 'DELETED') return;
      const uid = object.metadata.uid ?? '';
      for (const key of owners.get(uid) ?? []) queue.add(key);
      owners.delete(uid);
      for (const { uid: owner } of object.metadata.ownerReferences ?? [])
        owners.get(owner)?.delete(`${kind}|${object.metadata.namespace ?? ''}|${object.metadata.name}`);
    }),
  );
  for (const [kind, gvr] of Object.entries(OWNERSHIP)) for (const object of store.list(gvr)) note(kind, object);
  return runningWith(queue, unsubscribe);
}

function reconcile({ store }: ControllerContext, key: string): Outcome {
  const [kind = '', namespace = '', name = ''] = key.split('|');
  const gvr = OWNERSHIP[kind];
  const object = gvr === undefined ? undefined : store.get(gvr, namespace, name);
  if (gvr === undefined || object === undefined) return SETTLED;
  const decision = decideGarbage(object, (owner) => {
    const ownerType = OWNERSHIP[owner.kind];
    // Kinds that are not followed are taken to exist: removing something that is still owned is the worse mistake.
    if (ownerType === undefined) return true;
    const scope = owner.kind === 'Node' ? '' : namespace;
    return store.get(ownerType, scope, owner.name)?.metadata.uid === owner.uid;
  });
  if (decision.kind === 'drop-references') {
    const { resourceVersion: _, ...metadata } = object.metadata;
    store.update(gvr, { ...object, metadata: { ...metadata, ownerReferences: [...decision.kept] } });
  } else if (decision.kind === 'remove') {
    if (gvr === PODS) deletePod(store, object as Pod);
    else removeIfPresent(store, gvr, object);
  }
  return SETTLED;
}
