import type { WorkloadFact } from '../facts/facts.ts';
import { numberAt, recordAt, textAt } from '../facts/raw.ts';
import { type WatchedWorkload, watchWorkload } from './watched-workload.ts';

/** What the watch remembers of a StatefulSet or DaemonSet: enough to know whether its own rollout is under way. */
export interface WatchedPodSet extends WatchedWorkload {
  /** The update revision of a StatefulSet. A DaemonSet's status has none, so this is its generation. */
  readonly revision: string;
  /** The replicas that this rollout replaces; none where pods are replaced by hand (`OnDelete`). */
  readonly wanted: number;
  /** A StatefulSet whose present revision is not yet its newest. */
  readonly replacing: boolean;
}

export function watchPodSet(fact: WorkloadFact): WatchedPodSet {
  const { generation, replicas, raw } = fact;
  const strategy = recordAt(raw, 'spec', 'updateStrategy');
  const partition = numberAt(recordAt(strategy, 'rollingUpdate'), 'partition') ?? 0;
  const written = recordAt(raw, 'status');
  const [current, update] = [textAt(written, 'currentRevision'), textAt(written, 'updateRevision')];
  const byHand = textAt(strategy, 'type') === 'OnDelete';
  return {
    ...watchWorkload(fact),
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
