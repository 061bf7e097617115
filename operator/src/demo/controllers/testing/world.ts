import { createMemoryStore } from '../../cluster/memory-store.ts';
import type { ObjectStore } from '../../cluster/store.ts';
import { createVirtualPace, type VirtualPace } from '../runtime/virtual-pace.ts';
import type { Node, Pod } from '../shape/pod.ts';
import { EVENTS, NODES, PODS, REPLICA_SETS } from '../shape/resources.ts';
import type { ReplicaSet } from '../shape/workloads.ts';
import { startControllers } from '../start-controllers.ts';
import { type MiniKubelet, type PodFate, startMiniKubelet } from './mini-kubelet.ts';
import { aNode } from './samples.ts';

export interface World {
  readonly store: ObjectStore;
  readonly pace: VirtualPace;
  readonly kubelet: MiniKubelet;
  /** What controllers could not do, oldest first. */
  readonly errors: readonly unknown[];
  pods(): readonly Pod[];
  replicaSets(): readonly ReplicaSet[];
  /** `reason: message` of every Event, oldest first. */
  events(reason: string): readonly string[];
  close(): void;
}

export interface WorldOptions {
  readonly nodes?: readonly Node[];
  readonly fate?: (pod: Pod) => PodFate;
}

/** A whole cluster in virtual time: nothing happens but inside `pace.advance`. */
export function createWorld(options: WorldOptions = {}): World {
  const pace = createVirtualPace();
  let made = 0;
  const ids = { uuid: () => `uid-${String(++made).padStart(6, '0')}` };
  const store = createMemoryStore({ now: pace.now, ids });
  for (const node of options.nodes ?? [aNode('node-a'), aNode('node-b'), aNode('node-c')]) store.create(NODES, node);
  const errors: unknown[] = [];
  const controllers = startControllers({
    store,
    pace,
    random: seeded(7),
    onError: (_controller, _key, error) => errors.push(error),
  });
  const kubelet = startMiniKubelet(store, pace, options.fate ?? (() => 'ready'));
  return {
    store,
    pace,
    kubelet,
    errors,
    pods: () => store.list(PODS) as readonly Pod[],
    replicaSets: () => store.list(REPLICA_SETS) as readonly ReplicaSet[],
    events: (reason) =>
      store
        .list(EVENTS)
        .filter((event) => event.reason === reason)
        .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map((event) => String(event.message)),
    close: () => {
      kubelet.close();
      controllers.close();
    },
  };
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
