import type { ContainerStatusFact, TerminationFact } from '../facts/facts.ts';
import type { InvestigationSubject } from '../investigation/investigator.ts';

/** The time span of the present fault. Terminations and events from before it belong to another fault. */
export interface Episode {
  readonly began: Date;
  readonly now: Date;
}

/** A signal follows its fault: a second restart, a hold, an alert's `for`. 30 minutes covers the longest `for` of the common rules. */
const SIGNAL_DELAY_MS = 30 * 60_000;

/** The kubelet resets a container's back-off after 10 minutes of running, so a longer life ends a restart series. */
const BACKOFF_RESET_MS = 10 * 60_000;

export function episodeOf(subject: Pick<InvestigationSubject, 'firstSignalAt' | 'now'>): Episode {
  return { began: new Date(subject.firstSignalAt.getTime() - SIGNAL_DELAY_MS), now: subject.now };
}

/** Whether something that happened at an instant belongs to the episode. An unknown instant does not. */
export function isInEpisode(at: Date | undefined, episode: Episode): boolean {
  if (at === undefined) return false;
  return at >= episode.began || episode.now.getTime() - at.getTime() <= BACKOFF_RESET_MS;
}

/**
 * The termination that is evidence about a container now: its present state, or the last life of its running restart series, or a life
 * that ended within the episode. The kubelet keeps `lastState` for as long as the pod lives, so an old one proves nothing.
 */
export function presentTermination(status: ContainerStatusFact, episode: Episode): TerminationFact | undefined {
  if (status.terminated !== undefined) return status.terminated;
  const last = status.lastTerminated;
  if (last === undefined || status.waiting?.reason === 'CrashLoopBackOff') return last;
  return isInEpisode(last.finishedAt ?? status.running?.startedAt, episode) ? last : undefined;
}
