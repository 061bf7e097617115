import type { EventFact, JobFact, NodeFact } from '@hephaisto/core/facts/facts';
import { detectNode, noteNodeChange } from '@hephaisto/core/signal/detect-node';
import { detectPod, noteOfPodEnd } from '@hephaisto/core/signal/detect-pod';
import {
  detectDeployment,
  detectJob,
  isProgressing,
  isRolledOut,
  noteDeploymentChange,
  noteJobChange,
  progressOf,
  type RolloutMarks,
  type WatchedDeployment,
} from '@hephaisto/core/signal/detect-workload';
import { isPodSetProgressing, type WatchedPodSet } from '@hephaisto/core/signal/pod-set-rollout';
import { hasRecovered, RESTART_WINDOW_MS, restartSeries } from '@hephaisto/core/signal/restart-series';
import { fitsSomewhere, isDown, restartsOf, type WatchedPod } from '@hephaisto/core/signal/watched';
import { createEventDesk, type EventDesk } from './event-desk.ts';
import type { Ledger } from './ledger.ts';
import { chainOf, type MiddleOwner } from './owner-chain.ts';
import type { About } from './sighting-of.ts';

export interface WatchedReplicaSet extends MiddleOwner {
  readonly replicas: number;
}

/** Controllers that roll out by themselves, without a ReplicaSet between them and their pods. */
export type PodSetKind = 'statefulsets' | 'daemonsets';

/** A job without its containers. */
export type WatchedJob = Omit<JobFact, 'specs'>;

interface PodMemory {
  readonly pod: WatchedPod;
  readonly wasReady: boolean;
  /** When restarts were seen, in milliseconds, of the last hour. */
  readonly restartsMs: readonly number[];
}

export interface WorkloadSample {
  readonly namespace: string;
  readonly kind: 'Deployment';
  readonly name: string;
  readonly desired: number;
  readonly ready: number;
  readonly restarts: number;
}

/** The cluster as the watch has it. Each change is judged at once; what is found goes to the ledger. */
export interface ClusterView {
  pod(pod: WatchedPod): void;
  podGone(uid: string): void;
  replicaSet(set: WatchedReplicaSet): void;
  replicaSetGone(uid: string): void;
  deployment(deployment: WatchedDeployment): void;
  deploymentGone(uid: string): void;
  /** A StatefulSet or DaemonSet. */
  podSet(kind: PodSetKind, set: WatchedPodSet): void;
  podSetGone(kind: PodSetKind, uid: string): void;
  job(job: WatchedJob): void;
  jobGone(uid: string): void;
  node(node: NodeFact): void;
  nodeGone(uid: string): void;
  readonly events: EventDesk;
  uidsOf(
    kind: 'pods' | 'replicasets' | 'deployments' | 'jobs' | 'nodes' | PodSetKind,
    namespace: string,
  ): readonly string[];
  /** Deployments that changed since the last time this was asked; all of them when `all`. */
  samples(all: boolean): readonly WorkloadSample[];
}

export function createClusterView(options: {
  readonly ledger: Ledger;
  readonly nowMs: () => number;
  readonly warningMs: number;
  readonly oldWarningMs: number;
  /** How long a symptom must be away to count as healed. */
  readonly healMs: number;
}): ClusterView {
  const { ledger, nowMs } = options;
  const pods = new Map<string, PodMemory>();
  const podsOfController = new Map<string, Set<string>>();
  const unscheduled = new Set<string>();
  const sets = new Map<string, WatchedReplicaSet>();
  const deployments = new Map<string, WatchedDeployment>();
  const rolling = new Set<string>();
  const podSets: Readonly<Record<PodSetKind, Map<string, WatchedPodSet>>> = {
    statefulsets: new Map(),
    daemonsets: new Map(),
  };
  /** How far each rollout under way has come, and when it last came further, by the workload's uid. */
  const progress = new Map<string, { readonly marks: RolloutMarks; readonly atMs: number }>();
  const setsOfDeployment = new Map<string, Set<string>>();
  const jobs = new Map<string, WatchedJob>();
  const nodes = new Map<string, NodeFact>();
  const changed = new Set<string>();
  const middle = (uid: string): MiddleOwner | undefined => sets.get(uid) ?? middleJob(jobs.get(uid));

  function siblings(pod: WatchedPod): readonly PodMemory[] {
    const uids = pod.controller === undefined ? undefined : podsOfController.get(pod.controller.uid);
    const found: PodMemory[] = [];
    for (const uid of uids ?? []) {
      const sibling = pods.get(uid);
      if (sibling !== undefined && uid !== pod.uid) found.push(sibling);
    }
    return found;
  }

  function aboutPod(pod: WatchedPod): About {
    const { owner, chain } = chainOf(
      { kind: 'Pod', name: pod.name, templateHash: pod.templateHash },
      pod.controller,
      middle,
    );
    return { namespace: pod.namespace, owner, chain, podName: pod.name, nodeName: pod.nodeName };
  }

  function judgePod(memory: PodMemory): void {
    const { pod } = memory;
    const symptoms = detectPod(pod, {
      readySiblings: siblings(pod).filter((sibling) => sibling.pod.ready).length,
      ownedByJob: pod.controller?.kind === 'Job',
      fitsSomewhere: pod.unscheduled === undefined || fitsSomewhere(pod.requests, nodes.values()),
      // A container that has just died adds a pause to the series before it restarts.
      series: restartSeries(isDown(pod) ? [...memory.restartsMs, nowMs()] : memory.restartsMs, nowMs(), options.healMs),
      firing: ledger.firing(pod.uid),
      rolloutProgressAt: rolloutProgressAt(pod),
      wasReady: memory.wasReady,
    });
    ledger.observe(pod.uid, () => aboutPod(pod), symptoms);
  }

  function earlierRestarts(before: PodMemory | undefined, calm: boolean): readonly number[] {
    if (before === undefined || (calm && hasRecovered(before.restartsMs, nowMs(), options.healMs))) return [];
    return before.restartsMs.filter((at) => nowMs() - at < RESTART_WINDOW_MS);
  }

  function rolloutProgressAt(pod: WatchedPod): Date | undefined {
    const controller = pod.controller?.uid;
    const workload = controller === undefined ? undefined : (sets.get(controller)?.controller?.uid ?? controller);
    const known = workload === undefined ? undefined : progress.get(workload);
    return known === undefined ? undefined : new Date(known.atMs);
  }

  /** How long the pods of a workload may crash depends on how its rollout goes. */
  function followRollout(now: RolloutMarks & { readonly uid: string }, progressing: boolean): void {
    const known = progress.get(now.uid);
    const marks = progressing ? progressOf(known?.marks, now) : undefined;
    if (marks !== undefined) progress.set(now.uid, { marks, atMs: nowMs() });
    else if (!progressing) progress.delete(now.uid);
    if (progress.get(now.uid) === known) return;
    for (const set of [now.uid, ...(setsOfDeployment.get(now.uid) ?? [])])
      for (const uid of podsOfController.get(set) ?? []) {
        const memory = pods.get(uid);
        if (memory !== undefined && ledger.hasSymptom(uid)) judgePod(memory);
      }
  }

  function notePodChange(before: PodMemory | undefined, pod: WatchedPod, restarted: number, calm: boolean): void {
    const end = before?.pod.phase === pod.phase ? undefined : noteOfPodEnd(pod);
    if (end !== undefined) ledger.note(aboutPod(pod), { kind: 'PodNotReady', ...end });
    if (before !== undefined && !before.pod.deleting && pod.deleting) noteRemoval(pod);
    if (restarted > 0 && calm && !ledger.hasSymptom(pod.uid) && pod.controller?.kind !== 'Job') {
      const message = `a container of pod ${pod.name} ended and came back; restart ${restartsOf(pod)}`;
      ledger.note(aboutPod(pod), { kind: 'CrashLoopBackOff', reason: 'single-restart-recovered', message });
    }
  }

  /** Somebody takes away a pod that its controller still wants. */
  function noteRemoval(pod: WatchedPod): void {
    const set = pod.controller === undefined ? undefined : sets.get(pod.controller.uid);
    const others = siblings(pod).filter((sibling) => !sibling.pod.deleting).length;
    if (set === undefined || others + 1 > set.replicas) return;
    const node = [...nodes.values()].find((each) => each.name === pod.nodeName);
    const drained = node?.unschedulable === true;
    ledger.note(aboutPod(pod), {
      kind: 'PodNotReady',
      reason: drained ? 'node-drained' : 'pod-replaced',
      message: drained
        ? `pod ${pod.name} left node ${pod.nodeName ?? ''}, which is closed to new pods, and is replaced`
        : `pod ${pod.name} was removed by somebody and is replaced by its controller`,
    });
  }

  const view: ClusterView = {
    pod(pod) {
      const before = pods.get(pod.uid);
      const restarted = before === undefined ? 0 : Math.max(0, restartsOf(pod) - restartsOf(before.pod));
      const calm = !ledger.hasSymptom(pod.uid);
      const memory: PodMemory = {
        pod,
        wasReady: pod.ready || before?.wasReady === true,
        restartsMs: [...earlierRestarts(before, calm), ...Array.from({ length: Math.min(restarted, 20) }, nowMs)],
      };
      pods.set(pod.uid, memory);
      if (pod.controller !== undefined) addTo(podsOfController, pod.controller.uid, pod.uid);
      if (pod.unscheduled === undefined) unscheduled.delete(pod.uid);
      else unscheduled.add(pod.uid);
      judgePod(memory);
      notePodChange(before, pod, restarted, calm);
      // How long an unready pod may take depends on whether its siblings made it.
      if (before?.pod.ready !== pod.ready)
        for (const sibling of siblings(pod)) if (!sibling.pod.ready) judgePod(sibling);
      if (restarted > 0 && pod.controller !== undefined) markChanged(pod.controller.uid);
    },
    podGone(uid) {
      const memory = pods.get(uid);
      if (memory !== undefined && !memory.pod.deleting) noteRemoval(memory.pod);
      pods.delete(uid);
      unscheduled.delete(uid);
      const controller = memory?.pod.controller?.uid;
      if (controller !== undefined) removeFrom(podsOfController, controller, uid);
      ledger.forget(uid);
    },
    replicaSet(set) {
      sets.set(set.uid, set);
      if (set.controller !== undefined) addTo(setsOfDeployment, set.controller.uid, set.uid);
    },
    replicaSetGone(uid) {
      const deployment = sets.get(uid)?.controller?.uid;
      sets.delete(uid);
      if (deployment !== undefined) removeFrom(setsOfDeployment, deployment, uid);
    },
    deployment(deployment) {
      const before = deployments.get(deployment.uid);
      deployments.set(deployment.uid, deployment);
      const about = aboutDeployment(deployment);
      // The first revision is an installation, not a rollout.
      if (before?.revision !== undefined && before.revision !== deployment.revision) rolling.add(deployment.uid);
      for (const note of noteDeploymentChange(before, deployment, rolling.has(deployment.uid)))
        ledger.note(about, note);
      if (isRolledOut(deployment)) rolling.delete(deployment.uid);
      followRollout(deployment, isProgressing(deployment));
      ledger.observe(deployment.uid, () => about, detectDeployment(deployment));
      changed.add(deployment.uid);
    },
    deploymentGone(uid) {
      deployments.delete(uid);
      rolling.delete(uid);
      progress.delete(uid);
      changed.delete(uid);
      ledger.forget(uid);
    },
    podSet(kind, set) {
      podSets[kind].set(set.uid, set);
      followRollout(set, isPodSetProgressing(set, progress.has(set.uid)));
    },
    podSetGone(kind, uid) {
      podSets[kind].delete(uid);
      progress.delete(uid);
    },
    job(job) {
      const before = jobs.get(job.uid);
      jobs.set(job.uid, job);
      const whole = { ...job, specs: [] };
      const about = aboutJob(job);
      const known = before === undefined ? undefined : { ...before, specs: [] };
      for (const note of noteJobChange(known, whole)) ledger.note(about, note);
      ledger.observe(job.uid, () => about, detectJob(whole));
    },
    jobGone(uid) {
      jobs.delete(uid);
      ledger.forget(uid);
    },
    node(node) {
      const before = nodes.get(node.uid);
      nodes.set(node.uid, node);
      const about = aboutNode(node);
      for (const note of noteNodeChange(before, node)) ledger.note(about, note);
      ledger.observe(node.uid, () => about, detectNode(node));
      for (const uid of unscheduled) {
        const waiting = pods.get(uid);
        if (waiting !== undefined) judgePod(waiting);
      }
    },
    nodeGone(uid) {
      nodes.delete(uid);
      ledger.forget(uid);
    },
    events: createEventDesk({
      ledger,
      nowMs,
      warningMs: options.warningMs,
      oldWarningMs: options.oldWarningMs,
      locate,
    }),
    uidsOf(kind, namespace) {
      if (kind === 'nodes') return [...nodes.keys()];
      const within = (object: { readonly namespace: string }): boolean =>
        namespace === '' || object.namespace === namespace;
      if (kind === 'pods') return [...pods.values()].filter(({ pod }) => within(pod)).map(({ pod }) => pod.uid);
      if (kind === 'deployments') return [...deployments.values()].filter(within).map((each) => each.uid);
      if (kind === 'statefulsets' || kind === 'daemonsets')
        return [...podSets[kind].values()].filter(within).map((each) => each.uid);
      if (kind === 'jobs') return [...jobs.values()].filter(within).map((each) => each.uid);
      return [...sets.values()].filter((set) => within(set)).map((set) => set.uid);
    },
    samples(all) {
      const uids = all ? [...deployments.keys()] : [...changed];
      changed.clear();
      const restarts = restartsByDeployment();
      return uids.flatMap((uid) => {
        const deployment = deployments.get(uid);
        if (deployment === undefined) return [];
        const { namespace, name, replicas, ready } = deployment;
        return [
          { namespace, kind: 'Deployment' as const, name, desired: replicas, ready, restarts: restarts.get(uid) ?? 0 },
        ];
      });
    },
  };
  return view;

  function markChanged(controllerUid: string): void {
    const owner = sets.get(controllerUid)?.controller?.uid;
    if (owner !== undefined && deployments.has(owner)) changed.add(owner);
  }

  function restartsByDeployment(): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const { pod } of pods.values()) {
      const restarts = restartsOf(pod);
      const owner =
        restarts === 0 || pod.controller === undefined ? undefined : sets.get(pod.controller.uid)?.controller?.uid;
      if (owner !== undefined) sums.set(owner, (sums.get(owner) ?? 0) + restarts);
    }
    return sums;
  }

  function locate(event: EventFact): {
    readonly about: About;
    readonly present: boolean;
    readonly uids: readonly string[];
  } {
    const { kind, name, namespace, uid } = event.regarding;
    const memory = kind === 'Pod' && uid !== undefined ? pods.get(uid) : undefined;
    if (memory !== undefined) return { about: aboutPod(memory.pod), present: true, uids: [memory.pod.uid] };
    const job = kind === 'Job' && uid !== undefined ? jobs.get(uid) : undefined;
    const about = job === undefined ? aboutOther(kind, name, namespace) : aboutJob(job);
    const family = uid === undefined ? [] : [uid, ...(podsOfController.get(uid) ?? [])];
    return { about, present: kind !== 'Pod', uids: family };
  }

  function aboutJob(job: WatchedJob): About {
    const controller = job.owners.find((owner) => owner.controller);
    const { owner, chain } = chainOf({ kind: 'Job', name: job.name }, controller, () => undefined);
    return { namespace: job.namespace, owner, chain, podName: undefined, nodeName: undefined };
  }
}

function middleJob(job: WatchedJob | undefined): MiddleOwner | undefined {
  if (job === undefined) return undefined;
  return {
    uid: job.uid,
    namespace: job.namespace,
    name: job.name,
    controller: job.owners.find((owner) => owner.controller),
  };
}

function aboutDeployment(deployment: WatchedDeployment): About {
  return aboutOther('Deployment', deployment.name, deployment.namespace);
}

function aboutNode(node: NodeFact): About {
  return { ...aboutOther('Node', node.name, ''), nodeName: node.name };
}

function aboutOther(kind: string, name: string, namespace: string): About {
  return {
    namespace: namespace === '' || kind === 'Node' ? undefined : namespace,
    owner: { kind, name },
    chain: [`${kind}/${name}`],
    podName: undefined,
    nodeName: kind === 'Node' ? name : undefined,
  };
}

function addTo(index: Map<string, Set<string>>, key: string, value: string): void {
  const found = index.get(key);
  if (found === undefined) index.set(key, new Set([value]));
  else found.add(value);
}

function removeFrom(index: Map<string, Set<string>>, key: string, value: string): void {
  const found = index.get(key);
  found?.delete(value);
  if (found?.size === 0) index.delete(key);
}
