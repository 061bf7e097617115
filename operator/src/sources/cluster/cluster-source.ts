import { type Clock, type Ids, steadyTimeOfDay, type Timers } from '@hephaisto/core/ports/clock';
import type { Database } from '@hephaisto/core/ports/database';
import type { FaultPoints } from '@hephaisto/core/ports/fault-points';
import type { Lease, RequireEpoch } from '@hephaisto/core/ports/leases';
import type { FeedTarget, ObjectFeeds } from '@hephaisto/core/ports/object-feed';
import type { Logger, Metrics } from '@hephaisto/core/ports/telemetry';
import type { Sha256Hex } from '@hephaisto/core/signal/fingerprint';
import type { Observation } from '@hephaisto/core/signal/observation';
import type { Holds } from '@hephaisto/core/signal/symptom';
import { createTracker } from '@hephaisto/core/signal/tracker';
import { type Behind, createBehind } from './behind.ts';
import { type ClusterView, createClusterView } from './cluster-view.ts';
import {
  DAEMONSET_INTAKE,
  DEPLOYMENT_INTAKE,
  EVENT_INTAKE,
  feedTargets,
  type Intake,
  JOB_INTAKE,
  NODE_INTAKE,
  POD_INTAKE,
  REPLICASET_INTAKE,
  STATEFULSET_INTAKE,
} from './feeds.ts';
import { createHealthBoard, type HealthBoard, type SourceHealth } from './health.ts';
import { keepHealthRow } from './health-row.ts';
import { createHealthTally, type HealthTally } from './health-tally.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createObservationBuffer } from './observation-buffer.ts';
import { openConditions } from './rows.ts';
import { type About, resourceOf } from './sighting-of.ts';
import { createSightingWriter, type SightingWriter } from './sighting-writer.ts';
import { createSkippedObjects } from './skipped-objects.ts';

/** Milliseconds, as configured. */
export interface ClusterSourceConfig {
  readonly cluster: string;
  /** False: pods and nodes are only counted for the health of the cluster, and no fault is looked for. */
  readonly findsFaults: boolean;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly ignoreNamespaces: readonly string[];
  readonly ownNamespaces: readonly string[];
  readonly holds: Holds;
  readonly heal: number;
  readonly repeat: number;
  readonly repeatChanged: number;
  readonly warning: number;
  readonly oldWarning: number;
  readonly sampleEvery: number;
}

export interface ClusterSourceDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly faults: FaultPoints;
  readonly sha256: Sha256Hex;
  readonly feeds: ObjectFeeds;
  readonly requireEpoch: RequireEpoch;
  /** Runs the work while this replica leads, and resolves when it no longer does or somebody else already does. */
  readonly asLeader: (
    work: (lease: Lease, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<'done' | 'busy'>;
}

export interface ClusterSource {
  /** Resolves once the watch has stopped. Idempotent. */
  close(): Promise<void>;
  health(): readonly SourceHealth[];
}

/** The health of a cluster is that of its pods and nodes. Namespaces whose faults are ignored count all the same. */
const COUNTED_RESOURCES: readonly string[] = ['pods', 'nodes'];

/** How long a replica that does not lead waits before it asks again. */
const CONTEND_MS = 3_000;

/** Watches one cluster while this replica leads, and stands by while another does. */
export function startClusterSource(deps: ClusterSourceDeps, config: ClusterSourceConfig): ClusterSource {
  const stop = new AbortController();
  const targets = feedTargets(config.namespaces).filter(
    ({ resource }) => config.findsFaults || COUNTED_RESOURCES.includes(resource),
  );
  const board = createHealthBoard(targets);
  const running = contend();

  async function contend(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await deps.asLeader((lease, signal) => watchAs(deps, config, targets, board, lease, signal), stop.signal);
      } catch (error: unknown) {
        if (!stop.signal.aborted) deps.log.warn('watch stopped and will be taken up again', { error });
      }
      board.standby();
      await deps.timers.sleep(CONTEND_MS, stop.signal).catch(() => undefined);
    }
  }

  return {
    async close() {
      stop.abort();
      await running;
    },
    health: () => board.read(),
  };
}

async function watchAs(
  deps: ClusterSourceDeps,
  config: ClusterSourceConfig,
  targets: readonly FeedTarget[],
  board: HealthBoard,
  lease: Lease,
  leading: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([leading, failed.signal]);
  const nowMs = steadyTimeOfDay(deps.clock);
  const forbidden = new Map<FeedTarget, string>();
  const buffer = createObservationBuffer(
    () => failed.abort(new Error('more was observed than can be kept until the database takes it')),
    (count) => deps.metrics.count('watch_observations_dropped_total', { reason: 'buffer-full' }, count),
  );
  const writer = createSightingWriter(
    deps,
    { cluster: config.cluster, sampleEveryMs: config.sampleEvery, lease, buffer },
    signal,
  );
  const ledger = createLedger({
    scope: { cluster: config.cluster, ownNamespaces: config.ownNamespaces },
    tracker: createTracker({
      holds: config.holds,
      healMs: config.heal,
      repeatMs: config.repeat,
      repeatChangedMs: config.repeatChanged,
    }),
    nowMs,
    noteEveryMs: config.repeatChanged,
    onSighting(sighting) {
      buffer.add(sighting);
      writer.wake();
      // The tracker goes by what was last seen; while nothing can be seen, that is not known to hold.
      if (sighting.observation.status === 'firing') unknownAgain(sighting.observation);
    },
  });
  if (config.findsFaults)
    for (const condition of await openConditions(deps.db, config.cluster)) ledger.adopt(condition);
  function unknownAgain({ podName, owner, namespace }: Observation): void {
    const resource = owner === undefined ? '' : resourceOf({ podName, owner });
    for (const [target, message] of forbidden)
      if (target.resource === resource && (target.namespace === '' || target.namespace === namespace))
        writer.mark(target, message);
  }
  const view = createClusterView({
    ledger,
    nowMs,
    warningMs: config.warning,
    oldWarningMs: config.oldWarning,
    healMs: config.heal,
  });
  const behind = createBehind(deps.timers, () => alarm.set());
  const isUnseen = (about: About): boolean => behind.has(resourceOf(about), about.namespace ?? '');
  const alarm = createAlarm(deps.timers, nowMs, { ledger, view, isUnseen }, signal, (error) => failed.abort(error));
  const isListed = (about: About): boolean => board.isSynced(resourceOf(about), about.namespace ?? '');
  const afterChange = (listed: boolean): void => {
    // As soon as the kind itself is listed: a feed of another kind may be forbidden for ever.
    if (listed) ledger.endUnseen(isListed);
    alarm.set();
  };
  const ignored = new Set(config.ignoreNamespaces);
  const isIgnored = (namespace: string) => !config.findsFaults || ignored.has(namespace);
  const tally = createHealthTally();
  const follow = (target: FeedTarget): Promise<void> =>
    FOLLOW[target.resource]?.({
      deps,
      isIgnored,
      target,
      board,
      view,
      tally,
      afterChange,
      writer,
      forbidden,
      behind,
      signal,
    }) ?? Promise.resolve();
  const counts = () => (board.inStep(COUNTED_RESOURCES) ? tally.counts() : undefined);
  try {
    await Promise.all([
      ...targets.map(follow),
      writer.run(view),
      keepHealthRow(deps, { ...config, lease }, counts, signal),
    ]);
    if (failed.signal.aborted) throw failed.signal.reason;
  } finally {
    // Whatever failed, the rest must not go on for a lease that is given back.
    failed.abort();
  }
}

interface Following {
  readonly deps: ClusterSourceDeps;
  readonly isIgnored: (namespace: string) => boolean;
  readonly target: FeedTarget;
  readonly board: HealthBoard;
  readonly view: ClusterView;
  readonly tally: HealthTally;
  readonly writer: SightingWriter;
  /** Feeds that may not be read now, with the words of the server. */
  readonly forbidden: Map<FeedTarget, string>;
  readonly behind: Behind;
  readonly afterChange: (listed: boolean) => void;
  readonly signal: AbortSignal;
}

const FOLLOW: Readonly<Record<string, (following: Following) => Promise<void>>> = {
  pods: (following) => followInto(following, POD_INTAKE),
  replicasets: (following) => followInto(following, REPLICASET_INTAKE),
  deployments: (following) => followInto(following, DEPLOYMENT_INTAKE),
  statefulsets: (following) => followInto(following, STATEFULSET_INTAKE),
  daemonsets: (following) => followInto(following, DAEMONSET_INTAKE),
  jobs: (following) => followInto(following, JOB_INTAKE),
  nodes: (following) => followInto(following, NODE_INTAKE),
  events: (following) => followInto(following, EVENT_INTAKE),
};

async function followInto<Item>(following: Following, given: Intake<Item>): Promise<void> {
  const { deps, isIgnored, target, board, view, tally, afterChange, writer, forbidden, behind, signal } = following;
  const { resource } = target;
  const skipped = createSkippedObjects((error) => {
    deps.metrics.count('watch_objects_skipped_total', { resource });
    deps.log.error('an object of the watch cannot be read and is skipped', { resource, error });
  });
  const intake = skipped.guard(given);
  let reason = 'start';
  function knownAgain(): void {
    forbidden.delete(target);
    writer.mark(target, undefined);
  }
  await deps.feeds.follow<Item>(
    target,
    {
      project: skipped.project(given),
      replaced(all) {
        intake.tally?.replaced(tally, target.namespace, all);
        const items = all.filter((item) => !isIgnored(intake.namespace(item)));
        // What has gone while nobody looked must be told like anything that goes.
        const present = new Set([...items.map((item) => intake.uid(item)), ...skipped.take()]);
        for (const uid of intake.held(view, target.namespace)) if (!present.has(uid)) intake.gone(view, uid);
        for (const item of items) intake.put(view, item);
        board.synced(target);
        knownAgain();
        deps.metrics.count('informer_relists_total', { resource, reason });
        reason = 'again';
        afterChange(true);
      },
      changed(change, item) {
        if (change === 'DELETED') intake.tally?.gone(tally, intake.uid(item));
        else intake.tally?.put(tally, item);
        if (isIgnored(intake.namespace(item))) return;
        if (change === 'DELETED') intake.gone(view, intake.uid(item));
        else intake.put(view, item);
        afterChange(false);
      },
      heard() {
        const now = deps.clock.now();
        board.heard(target, now);
        deps.metrics.gauge('informer_last_event_timestamp_seconds', now.getTime() / 1000, { resource });
      },
      state(state) {
        board.state(target, state, deps.clock.now());
        behind.state(target, state);
        if (state.kind === 'forbidden') {
          deps.log.warn('watching is forbidden', { resource, message: state.message });
          if (!forbidden.has(target)) writer.mark(target, `${resource} may not be read: ${state.message}`);
          forbidden.set(target, `${resource} may not be read: ${state.message}`);
        }
        // A watch that was refused for a while goes on where it stopped, without another list.
        if (state.kind === 'watching' && forbidden.has(target)) knownAgain();
        if (state.kind === 'failing') deps.log.warn('watching fails', { resource, failure: state.failure });
      },
    },
    signal,
  );
}

/** Looks again when the next symptom has lasted long enough, or been away long enough, to count. */
function createAlarm(
  timers: Timers,
  nowMs: () => number,
  { ledger, view, isUnseen }: { ledger: Ledger; view: ClusterView; isUnseen: (about: About) => boolean },
  signal: AbortSignal,
  onError: (error: unknown) => void,
): { set(): void } {
  let cancel: () => void = () => undefined;
  let setForMs: number | undefined;
  function ring(): void {
    setForMs = undefined;
    if (signal.aborted) return;
    try {
      ledger.due(isUnseen);
      view.events.due();
    } catch (error: unknown) {
      // Nobody else catches what a timer throws: the process would end.
      onError(error);
      return;
    }
    set();
  }
  function set(): void {
    // A feed that catches up later still calls: nothing would cancel a timer that is set after the end.
    if (signal.aborted) return;
    const dues = [ledger.nextDueMs(isUnseen), view.events.nextDueMs()].filter((due) => due !== undefined);
    const next = dues.length === 0 ? undefined : Math.min(...dues);
    if (next === setForMs) return;
    cancel();
    setForMs = next;
    if (next !== undefined) cancel = timers.after(Math.max(1, next - nowMs()), ring);
  }
  signal.addEventListener('abort', () => cancel(), { once: true });
  return { set };
}
