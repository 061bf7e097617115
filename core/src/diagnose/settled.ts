import type { ContainerStatusFact, PodFact } from '../facts/facts.ts';
import { isInEpisode } from './episode.ts';
import type { CaseView } from './view.ts';

/** Whether the pods were read at a moment that shows how they are doing. */
export type Picture =
  | { readonly kind: 'settled' }
  | { readonly kind: 'unsettled'; readonly reason: 'between-two-lives' | 'just-started'; readonly message: string };

const SETTLED: Picture = { kind: 'settled' };

/**
 * A pod of a crashing workload is Ready for an instant after each restart, and down for an instant before its back-off: a reading of that
 * instant is true and misleads. `youngMs`: a container that has run for less may be about to end again. Pods in back-off are settled.
 */
export function pictureOf(view: CaseView, now: Date, youngMs: number): Picture {
  const pods = view.pods?.value ?? [];
  const failed = pods.some((pod) => pod.statuses.some((status) => hasFailed(status, view)));
  if (!failed) return SETTLED;
  for (const pod of pods) {
    for (const status of pod.statuses) {
      const picture = pictureOfContainer(pod, status, now, youngMs);
      if (picture.kind === 'unsettled') return picture;
    }
  }
  return SETTLED;
}

function hasFailed(status: ContainerStatusFact, view: CaseView): boolean {
  const ended = status.terminated ?? status.lastTerminated;
  return ended !== undefined && ended.exitCode !== 0 && isInEpisode(ended.finishedAt, view.episode);
}

function pictureOfContainer(pod: PodFact, status: ContainerStatusFact, now: Date, youngMs: number): Picture {
  const what = `container ${status.name} of pod ${pod.name}`;
  if (!status.init && status.terminated !== undefined && pod.phase === 'Running') {
    return { kind: 'unsettled', reason: 'between-two-lives', message: `${what} has just ended` };
  }
  const startedAt = status.running?.startedAt;
  if (startedAt !== undefined && now.getTime() - startedAt.getTime() < youngMs) {
    return { kind: 'unsettled', reason: 'just-started', message: `${what} has just started` };
  }
  return SETTLED;
}
