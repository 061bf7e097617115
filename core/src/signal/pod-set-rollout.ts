import type { WorkloadFact } from '../facts/facts.ts';
import { numberAt, recordAt, textAt } from '../facts/raw.ts';

/** What the watch remembers of a StatefulSet or DaemonSet: enough to know whether its own rollout is under way. */
export interface WatchedPodSet {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  readonly observedGeneration: number;
  readonly replicas: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
  /** Names the newest template: a StatefulSet's update revision. A DaemonSet states none, so its generation stands in. */
  readonly revision: string;
  /** The replicas that this rollout replaces; none where pods are replaced by hand (`OnDelete`). */
  readonly wanted: number;
  /** A StatefulSet whose present revision is not yet its newest. */
  readonly replacing: boolean;
}

export function watchPodSet(fact: WorkloadFact): WatchedPodSet {
  const { uid, namespace, name, generation, observedGeneration, replicas, status, raw } = fact;
  const strategy = recordAt(raw, 'spec', 'updateStrategy');
  const partition = numberAt(recordAt(strategy, 'rollingUpdate'), 'partition') ?? 0;
  const written = recordAt(raw, 'status');
  const [current, update] = [textAt(written, 'currentRevision'), textAt(written, 'updateRevision')];
  const byHand = textAt(strategy, 'type') === 'OnDelete';
  return {
    uid,
    namespace,
    name,
    generation,
    observedGeneration,
    replicas,
    updated: status.updated,
    ready: status.ready,
    available: status.available,
    revision: update ?? String(generation),
    wanted: byHand ? 0 : Math.max(0, replicas - partition),
    replacing: !byHand && partition === 0 && current !== update,
  };
}

/**
 * Whether a rollout is under way. One that was seen to begin goes on until every pod that it replaces is available: the last pod to be
 * replaced may crash as well. Missing availability alone begins none, or each crash of a calm workload would count as part of a rollout.
 */
export function isPodSetProgressing(set: WatchedPodSet, begun: boolean): boolean {
  if (set.wanted === 0) return false;
  if (set.observedGeneration < set.generation || set.updated < set.wanted || set.replacing) return true;
  return begun && set.available < set.replicas;
}
