import { assertNever } from '@hephaisto/core/assert-never';
import { type ControllerContext, elapsedSince, type Running, runningWith, withStatus } from '../runtime/context.ts';
import { createPod } from '../runtime/create-pod.ts';
import { deletePod } from '../runtime/delete-pod.ts';
import { again, createWorkQueue, type Outcome, SETTLED } from '../runtime/work-queue.ts';
import { selects } from '../shape/label-selector.ts';
import { controlledBy, controllerOf, keyOf, splitKey } from '../shape/ownership.ts';
import type { Pod } from '../shape/pod.ts';
import { podCondition } from '../shape/pod-facts.ts';
import { PODS, REPLICA_SETS } from '../shape/resources.ts';
import { timestamp } from '../shape/timestamp.ts';
import type { ReplicaSet } from '../shape/workloads.ts';
import {
  decideReplicaSet,
  nextAvailability,
  type ReplicaFailure,
  type ReplicaSetDecision,
  type ReplicaSetFacts,
  replicaSetStatus,
} from './decide-replica-set.ts';

const COMPONENT = 'replicaset-controller';

/** Keeps as many pods as each ReplicaSet asks for, and counts them. */
export function startReplicaSetController(context: ControllerContext): Running {
  const { store, pace, instants } = context;
  const queue = createWorkQueue({
    pace,
    reconcile: (key) => reconcile(context, key),
    onError: (key, error) => context.onError(COMPONENT, key, error),
  });
  const unsubscribe = [
    store.subscribe(REPLICA_SETS, ({ type, object }) => {
      if (type !== 'DELETED') queue.add(keyOf(object));
    }),
    store.subscribe(PODS, ({ type, object }) => {
      if (type === 'DELETED') instants.forget(`${object.metadata.uid}/`);
      const owner = controllerOf(object);
      if (owner?.kind === 'ReplicaSet') queue.add(`${object.metadata.namespace}/${owner.name}`);
    }),
  ];
  for (const replicaSet of store.list(REPLICA_SETS)) queue.add(keyOf(replicaSet));
  return runningWith(queue, unsubscribe);
}

function reconcile(context: ControllerContext, key: string): Outcome {
  const { store, pace } = context;
  const { namespace, name } = splitKey(key);
  const replicaSet = store.get(REPLICA_SETS, namespace, name) as ReplicaSet | undefined;
  if (replicaSet === undefined) return SETTLED;
  const facts: ReplicaSetFacts = {
    replicaSet,
    pods: (store.list(PODS, namespace) as readonly Pod[]).filter(
      (pod) => controlledBy(pod, replicaSet) && selects(replicaSet.spec.selector, pod.metadata.labels),
    ),
    now: pace.now(),
    readyFor: (pod) => readyFor(context, pod),
  };
  const failure = carryOut(context, replicaSet, decideReplicaSet(facts));
  const status = replicaSetStatus(facts, failure?.condition, timestamp(facts.now));
  store.update(REPLICA_SETS, withStatus(replicaSet, status), 'status');
  if (failure !== undefined) throw failure.error;
  const wait = nextAvailability(facts);
  return wait === undefined ? SETTLED : again(wait);
}

function readyFor({ pace, instants }: ControllerContext, pod: Pod): number {
  const stamp = podCondition(pod, 'Ready')?.lastTransitionTime;
  if (stamp === undefined) return 0;
  return elapsedSince(pace, instants.since(`${pod.metadata.uid}/ready`, stamp, pace.now()));
}

interface Failure {
  readonly condition: ReplicaFailure;
  readonly error: unknown;
}

/** The first failure ends the round: what one pod is refused for, its siblings would be too. */
function carryOut(context: ControllerContext, owner: ReplicaSet, decision: ReplicaSetDecision): Failure | undefined {
  switch (decision.kind) {
    case 'keep':
      return undefined;
    case 'create':
      return attempt('FailedCreate', () => {
        const { template } = owner.spec;
        for (let made = 0; made < decision.count; made++) createPod(context, { component: COMPONENT, owner, template });
      });
    case 'delete':
      return attempt('FailedDelete', () => {
        for (const pod of decision.pods) {
          deletePod(context.store, pod);
          const message = `Deleted pod: ${pod.metadata.name}`;
          context.events.record(COMPONENT, owner, { type: 'Normal', reason: 'SuccessfulDelete', message });
        }
      });
    default:
      return assertNever(decision);
  }
}

function attempt(reason: ReplicaFailure['reason'], act: () => void): Failure | undefined {
  try {
    act();
    return undefined;
  } catch (error: unknown) {
    return { condition: { reason, message: error instanceof Error ? error.message : String(error) }, error };
  }
}
