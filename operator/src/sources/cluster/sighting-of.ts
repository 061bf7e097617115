import type { Severity, SignalKind } from '@hephaisto/core/signal/kind';
import type { OwnerRef } from '@hephaisto/core/signal/observation';
import type { BenignNote } from '@hephaisto/core/signal/symptom';
import type { Episode } from '@hephaisto/core/signal/tracker';
import type { Sighting } from '../../flow/signal-log/sighting.ts';

/** What a watched condition is about. Fixed when it begins, since its object may be gone when it ends. */
export interface About {
  readonly namespace: string | undefined;
  readonly owner: OwnerRef;
  readonly chain: readonly string[];
  readonly podName: string | undefined;
  readonly nodeName: string | undefined;
}

/** The feed that would show the object of the condition. */
export function resourceOf({
  podName,
  owner,
}: Pick<About, 'podName' | 'owner'>): 'pods' | 'nodes' | 'jobs' | 'deployments' {
  if (podName !== undefined) return 'pods';
  if (owner.kind === 'Node') return 'nodes';
  return owner.kind === 'Job' || owner.kind === 'CronJob' ? 'jobs' : 'deployments';
}

/** What a condition said of itself when it was last seen. */
export interface Said {
  readonly kind: SignalKind;
  readonly severity: Severity;
  readonly reason: string;
  readonly message: string;
}

export interface ClusterScope {
  readonly cluster: string;
  readonly ownNamespaces: readonly string[];
}

export function sightingOfEpisode(
  scope: ClusterScope,
  about: About,
  episode: Episode,
  said: Said,
  end: { readonly at: Date; readonly why: string } | undefined,
): Sighting {
  return {
    observation: {
      ...common(scope, about),
      externalKey: episode.externalKey,
      kind: said.kind,
      severity: said.severity,
      reason: said.reason,
      message: said.message,
      payload: end === undefined ? {} : { end: end.why },
      status: end === undefined ? 'firing' : 'resolved',
      startsAt: episode.startsAt,
      ...(end === undefined ? {} : { endsAt: end.at }),
    },
  };
}

/** A note is kept once an owner and reason: a thousand completed runs of one job are one row that was seen a thousand times. */
export function benignKey(about: About, note: BenignNote, detail: string): string {
  return JSON.stringify(['benign', about.namespace ?? '', about.owner.kind, about.owner.name, note.reason, detail]);
}

export function sightingOfNote(
  scope: ClusterScope,
  about: About,
  note: BenignNote,
  key: string,
  at: Date,
  ours: boolean,
): Sighting {
  return {
    observation: {
      ...common(scope, about),
      externalKey: key,
      kind: note.kind,
      severity: 'info',
      reason: note.reason,
      message: note.message,
      payload: {},
      status: 'resolved',
      endsAt: at,
    },
    settled: { disposition: ours ? 'self' : 'benign', reason: `${note.reason}: ${note.message}` },
  };
}

function common(scope: ClusterScope, about: About) {
  return {
    source: 'k8s',
    cluster: scope.cluster,
    clusterKnown: true,
    ...(about.namespace === undefined ? {} : { namespace: about.namespace }),
    owner: about.owner,
    ownerChain: about.chain,
    ...(about.podName === undefined ? {} : { podName: about.podName }),
    ...(about.nodeName === undefined ? {} : { nodeName: about.nodeName }),
    labels: {},
    isSelf: about.namespace !== undefined && scope.ownNamespaces.includes(about.namespace),
  } as const;
}
