import type { WorkloadFact } from '../facts/facts.ts';

/** What the watch remembers of every workload that rolls out: who it is, and how far its replicas have come. */
export interface WatchedWorkload {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  readonly observedGeneration: number;
  readonly replicas: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
}

export function watchWorkload(fact: WorkloadFact): WatchedWorkload {
  const { uid, namespace, name, generation, observedGeneration, replicas, status } = fact;
  const { updated, ready, available } = status;
  return { uid, namespace, name, generation, observedGeneration, replicas, updated, ready, available };
}
