import { redactText } from '@hephaisto/core/evidence/redact';
import type { Clock, Timers } from '@hephaisto/core/ports/clock';
import type { Database } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import { isAboutOurselves, observeAlert } from '@hephaisto/core/signal/alert-observation';
import {
  type AlertTarget,
  type LabelMapping,
  labelsThatName,
  oddNames,
  targetOfAlert,
} from '@hephaisto/core/signal/alert-target';
import { type ReadAlert, readAlert, readEnvelopeInSteps } from '@hephaisto/core/signal/alertmanager';
import type { Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import { createYield, inTurns, type YieldToEventLoop } from '../event-loop-turns.ts';
import type { Sighting } from '../signal-log/sighting.ts';
import { type AlertCluster, resolveCluster } from './clusters.ts';
import { type NamedPod, type OwnerLookup, podKey, resolvePodOwners } from './resolve-owner.ts';
import {
  type FindWorkloadsBehind,
  type NamedObject,
  type ObjectOwner,
  objectKey,
  resolveObjectOwners,
  standsForWorkloads,
} from './workloads-behind.ts';

/** How alerts are read. */
export interface AlertReading {
  readonly localCluster: string;
  readonly mapping: LabelMapping;
  readonly ownNamespaces: readonly string[];
  readonly selfLabel: string;
}

export interface Expanded {
  readonly sightings: readonly Sighting[];
  /** What is written to the intake row: counts, and what was odd about single alerts. */
  readonly outcome: {
    readonly alerts: number;
    readonly unreadable: readonly { readonly index: number; readonly reason: string; readonly message: string }[];
    readonly warnings: readonly { readonly index: number; readonly warnings: readonly string[] }[];
  };
}

interface ExpandDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly faults: FaultPoints;
  readonly owners: OwnerLookup;
  readonly behind?: FindWorkloadsBehind;
  readonly sha256: Sha256Hex;
}

/** Oddities recorded a body; a thousand more of the same kind would tell nothing new. */
const KEPT_ODDITIES = 100;

/** Reads a stored body into sightings. Throws only for what was readable when it was stored and no longer is. */
export async function expandBody(deps: ExpandDeps, config: AlertReading, body: string): Promise<Expanded> {
  const read = await inTurns(readEnvelopeInSteps(body), () => deps.timers.sleep(0));
  if (read.kind === 'refused') throw new Error(read.message);
  const unreadable: Expanded['outcome']['unreadable'][number][] = [];
  const warnings: Expanded['outcome']['warnings'][number][] = [];
  const alerts: ReadAlert[] = [];
  const yieldToEventLoop = createYield(deps);
  const first = [...labelsThatName(config.mapping), config.selfLabel];
  for (const [index, value] of read.envelope.alerts.entries()) {
    await yieldToEventLoop();
    const alert = readAlert(value, first);
    if (alert.kind === 'unreadable') {
      unreadable.push({ index, reason: alert.reason, message: alert.message });
      continue;
    }
    const odd = [...alert.alert.warnings, ...oddNames(alert.alert.labels, config.mapping)];
    if (odd.length > 0) warnings.push({ index, warnings: odd });
    alerts.push(alert.alert);
  }
  return {
    sightings: await observeAll(deps, config, alerts, yieldToEventLoop),
    outcome: {
      alerts: read.envelope.alerts.length,
      unreadable: unreadable.slice(0, KEPT_ODDITIES),
      warnings: warnings
        .slice(0, KEPT_ODDITIES)
        .map((odd) => ({ index: odd.index, warnings: odd.warnings.map(redactText) })),
    },
  };
}

async function observeAll(
  deps: ExpandDeps,
  config: AlertReading,
  alerts: readonly ReadAlert[],
  yieldToEventLoop: YieldToEventLoop,
): Promise<readonly Sighting[]> {
  const clusters = new Map<string | undefined, AlertCluster>();
  const placed: { alert: ReadAlert; target: AlertTarget; cluster: AlertCluster; pod: NamedPod | undefined }[] = [];
  for (const alert of alerts) {
    await yieldToEventLoop();
    const target = targetOfAlert(alert.labels, config.mapping);
    const cluster = clusters.get(target.cluster) ?? (await resolveCluster(deps, config.localCluster, target.cluster));
    clusters.set(target.cluster, cluster);
    placed.push({ alert, target, cluster, pod: podToAskFor(target, cluster) });
  }
  const pods = new Map(placed.flatMap(({ pod }) => (pod === undefined ? [] : [[podKey(pod), pod] as const])));
  const owners = await resolvePodOwners(deps.db, deps.owners, [...pods.values()]);
  const objectOf = ({ target, cluster }: (typeof placed)[number]) => objectToAskFor(target, cluster);
  const behind = await resolveBehind(deps.behind, placed.map(objectOf));
  const sightings: Sighting[] = [];
  for (const each of placed) {
    await yieldToEventLoop();
    const { alert, target, cluster, pod } = each;
    const isSelf = isAboutOurselves(
      { namespace: target.namespace, labels: alert.labels },
      { namespaces: config.ownNamespaces, selfLabel: config.selfLabel },
    );
    const object = objectOf(each);
    const resolved = object === undefined ? undefined : behind.get(objectKey(object));
    const owner = pod === undefined ? resolved : owners.get(podKey(pod));
    const facts = { cluster, owner, isSelf, isMissing: resolved?.isMissing === true };
    sightings.push({ observation: observeAlert(alert, target, facts, deps.sha256) });
  }
  return sightings;
}

async function resolveBehind(
  find: FindWorkloadsBehind | undefined,
  named: readonly (NamedObject | undefined)[],
): Promise<ReadonlyMap<string, ObjectOwner>> {
  const objects = new Map(named.flatMap((each) => (each === undefined ? [] : [[objectKey(each), each] as const])));
  return find === undefined ? new Map() : resolveObjectOwners(find, [...objects.values()]);
}

function objectToAskFor({ owner, namespace }: AlertTarget, cluster: AlertCluster): NamedObject | undefined {
  if (owner === undefined || namespace === undefined || !standsForWorkloads(owner)) return undefined;
  return { cluster, namespace, object: owner };
}

function podToAskFor(target: AlertTarget, cluster: AlertCluster): NamedPod | undefined {
  if (target.owner !== undefined || target.podName === undefined || target.namespace === undefined) return undefined;
  return { cluster, namespace: target.namespace, podName: target.podName };
}
