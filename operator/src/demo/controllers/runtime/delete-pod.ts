import type { ObjectStore } from '../../cluster/store.ts';
import type { Pod } from '../shape/pod.ts';
import { isFinished } from '../shape/pod-facts.ts';
import { PODS } from '../shape/resources.ts';
import { removeIfPresent } from './context.ts';

/** Deletes as the API does: with grace where a kubelet has something to stop, at once where none has (not placed, or finished). */
export function deletePod(store: ObjectStore, pod: Pod): void {
  const placed = pod.spec.nodeName !== undefined && pod.spec.nodeName !== '';
  if (pod.metadata.deletionTimestamp !== undefined && placed) return;
  removeIfPresent(store, PODS, pod, !placed || isFinished(pod));
}
