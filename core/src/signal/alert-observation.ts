import { kindOfAlert, severityOfAlert } from './alert-kinds.ts';
import type { AlertTarget } from './alert-target.ts';
import type { ReadAlert } from './alertmanager.ts';
import { cleanText, clip } from './clean-text.ts';
import type { Sha256Hex } from './fingerprint.ts';
import { missingObjectText } from './missing-object.ts';
import type { Observation, OwnerRef } from './observation.ts';

/** The cluster an alert belongs to, once its name has been looked up. */
export interface NamedCluster {
  readonly id: string;
  readonly known: boolean;
}

export interface ResolvedOwner {
  readonly owner: OwnerRef;
  readonly chain: readonly string[];
}

/**
 * The alert as one source's word. Its key is the condition's own name at the source: fingerprint and start. An alert without a
 * fingerprint gets one from its labels, since those are what makes it distinct.
 */
export function observeAlert(
  alert: ReadAlert,
  target: AlertTarget,
  facts: {
    readonly cluster: NamedCluster;
    readonly owner: ResolvedOwner | undefined;
    readonly isSelf: boolean;
    readonly isMissing?: boolean;
  },
  sha256: Sha256Hex,
): Observation {
  const name = alert.labels.alertname ?? 'unnamed';
  const owner = facts.owner?.owner ?? target.owner;
  const summary = alert.annotations.summary ?? alert.annotations.description ?? alert.annotations.message ?? name;
  const missing = facts.isMissing === true ? missingObjectText(target.owner, target.namespace) : '';
  const key = alert.fingerprint ?? sha256(JSON.stringify(Object.entries(alert.labels).sort(byKey))).slice(0, 16);
  return {
    source: 'alertmanager',
    externalKey: `${key}/${alert.startsAt?.toISOString() ?? '-'}`,
    kind: kindOfAlert(alert.labels),
    severity: severityOfAlert(alert.labels),
    reason: clip(name, 200),
    message: clip(`${missing}${summary}`, 500),
    cluster: facts.cluster.id,
    clusterKnown: facts.cluster.known,
    ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
    ...(owner === undefined ? {} : { owner }),
    ownerChain: facts.owner?.chain ?? (owner === undefined ? [] : [`${owner.kind}/${owner.name}`]),
    ...(target.podName === undefined ? {} : { podName: target.podName }),
    ...(target.nodeName === undefined ? {} : { nodeName: target.nodeName }),
    labels: alert.labels,
    payload: alert.payload,
    status: alert.status,
    ...(alert.startsAt === undefined ? {} : { startsAt: alert.startsAt }),
    ...(alert.endsAt === undefined || alert.status === 'firing' ? {} : { endsAt: alert.endsAt }),
    isSelf: facts.isSelf,
  };
}

function byKey(a: readonly [string, string], b: readonly [string, string]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}

/** What must be true of an alert for it to be about this product: one of its own rules, or an object where it lives. */
export function isAboutOurselves(
  signal: { readonly namespace?: string | undefined; readonly labels: Readonly<Record<string, string>> },
  own: { readonly namespaces: readonly string[]; readonly selfLabel: string },
): boolean {
  if (signal.labels[own.selfLabel] === 'true') return true;
  return signal.namespace !== undefined && own.namespaces.includes(cleanText(signal.namespace));
}
