import type { PodFact } from '../facts/facts.ts';
import type { Symptom } from '../finding/symptom.ts';
import type { InvestigationSubject } from '../investigation/investigator.ts';
import type { Episode } from './episode.ts';
import type { Known } from './known.ts';
import { backendRead } from './selected-pods.ts';
import { callKey, type TypedCall } from './tools.ts';
import { type Trouble, troubleOf } from './trouble.ts';
import { namedDeadServices } from './upstream-names.ts';
import { type CaseView, jobName, viewOf, WORKLOAD_KINDS } from './view.ts';

/** Pods whose logs are read: one tells the story, the second that it is the same story. */
const PODS_WITH_LOGS = 2;
/** Symptoms of a container that has run, so that it has a log. */
const LOUD: readonly Symptom[] = ['crash', 'oom', 'not-ready', 'initializing'];

/**
 * The reads that would tell most next, given what is known: empty when there is nothing left to ask. All calls of one answer may
 * run at the same time. Pure, so that the same cluster is always asked the same questions.
 */
export function nextReads(subject: InvestigationSubject, known: Known): readonly TypedCall[] {
  const view = viewOf(subject, known);
  const wanted = [
    ...firstReads(subject),
    ...readsOfTroubles(view),
    ...readsOfBackends(view),
    ...readsOfOwnService(view),
  ];
  return wanted.filter((call) => !known.has(call));
}

function firstReads(subject: InvestigationSubject): readonly TypedCall[] {
  const { namespace, owner } = subject;
  const job = jobName(subject);
  if (namespace !== undefined && job !== undefined) {
    return [
      { tool: 'get_job', args: { namespace, name: job } },
      { tool: 'get_pods', args: { namespace, kind: 'Job', name: job } },
      { tool: 'get_events', args: { namespace, name: job } },
    ];
  }
  if (namespace !== undefined && owner !== undefined && WORKLOAD_KINDS.includes(owner.kind)) {
    const args = { kind: owner.kind, namespace, name: owner.name };
    return [
      { tool: 'get_workload', args },
      { tool: 'get_pods', args: { namespace, kind: owner.kind, name: owner.name } },
      ...(owner.kind === 'ReplicaSet' ? [] : [{ tool: 'get_rollout_history' as const, args }]),
      { tool: 'get_events', args: { namespace, name: owner.name } },
    ];
  }
  const node = subject.nodeName ?? (owner?.kind === 'Node' ? owner.name : undefined);
  if (node !== undefined && (owner === undefined || owner.kind === 'Node')) {
    return [
      { tool: 'get_nodes', args: {} },
      { tool: 'get_events', args: { namespace: 'default', name: node } },
    ];
  }
  const pod = subject.signals.find((signal) => signal.podName !== undefined)?.podName;
  const name = pod ?? (owner?.kind === 'Pod' ? owner.name : undefined);
  if (namespace === undefined) return [];
  if (name === undefined) {
    // No workload was found behind it: what is left to read is whether it exists, and what was reported about it.
    if (owner === undefined) return [];
    return [
      { tool: 'get_services', args: { namespace } },
      { tool: 'get_events', args: { namespace, name: owner.name } },
    ];
  }
  return [
    { tool: 'get_pod', args: { namespace, name } },
    { tool: 'get_events', args: { namespace, name } },
  ];
}

function readsOfTroubles(view: CaseView): readonly TypedCall[] {
  const namespace = view.subject.namespace;
  if (namespace === undefined || view.pods === undefined) return [];
  const troubles = view.troubles.length > 0 ? view.troubles : [];
  const loud = troubles.filter(({ symptom }) => LOUD.includes(symptom));
  return [
    ...chooseForLogs(loud).flatMap((trouble) => logReads(view, namespace, trouble)),
    ...(troubles.some(({ symptom }) => symptom === 'unschedulable') ? [{ tool: 'get_nodes' as const, args: {} }] : []),
    ...(loud.length > 0 ? [{ tool: 'get_services' as const, args: { namespace } }] : []),
  ];
}

/** Symptoms of a container that runs: its present log shows why. */
const RUNS_ON: readonly Symptom[] = ['not-ready', 'initializing'];

/** One pod a symptom first, so that a mixed picture is seen as one; of these the one that failed most often, which has said most. */
function chooseForLogs(troubles: readonly Trouble[]): readonly Trouble[] {
  const ranked = [...troubles].sort((a, b) => restarts(b) - restarts(a) || (a.pod.name < b.pod.name ? -1 : 1));
  const chosen = ranked.filter(
    (trouble, index) => ranked.findIndex(({ symptom }) => symptom === trouble.symptom) === index,
  );
  const others = ranked.filter((trouble) => !chosen.includes(trouble));
  return [...chosen, ...others].slice(0, PODS_WITH_LOGS);
}

function restarts({ pod, container }: Trouble): number {
  return pod.statuses.find(({ name }) => name === container)?.restartCount ?? 0;
}

/** The life that failed: the one before the last restart, or the present one where there was no restart or it does not get ready. */
function logReads(view: CaseView, namespace: string, trouble: Trouble): readonly TypedCall[] {
  const status = trouble.pod.statuses.find(
    ({ name, init }) => name === trouble.container && init === (trouble.init ?? false),
  );
  if (status === undefined) return [];
  const read = (previous: boolean): TypedCall => ({
    tool: 'get_logs',
    args: { namespace, pod: trouble.pod.name, container: status.name, previous },
  });
  const calls: TypedCall[] = [];
  if (status.lastTerminated !== undefined) calls.push(read(true));
  const present =
    status.terminated !== undefined || (status.running !== undefined && RUNS_ON.includes(trouble.symptom));
  if (present || calls.length === 0 || isSilent(view, read(true))) calls.push(read(false));
  return calls;
}

/** The life before was asked for and is gone, or said nothing: between two lives the kubelet has only the present one's log. */
function isSilent(view: CaseView, call: TypedCall): boolean {
  if (!view.known.has(call)) return false;
  const found = view.known.all('get_logs').find(({ args }) => callKey({ tool: 'get_logs', args }) === callKey(call));
  return found === undefined ? view.known.gap(call)?.reason === 'not-found' : found.value.lines.length === 0;
}

/** Who stands behind a Service that the sick pods name and that has nobody to answer. */
function readsOfBackends(view: CaseView): readonly TypedCall[] {
  return namedDeadServices(view).map(({ service }) => backendRead(service));
}

/** Whom the Service that the incident is about selects. One without a selector has its endpoints from elsewhere. */
function readsOfOwnService(view: CaseView): readonly TypedCall[] {
  const { owner } = view.subject;
  if (owner?.kind !== 'Service') return [];
  const service = view.services?.value.find(({ name }) => name === owner.name);
  return service === undefined || Object.keys(service.selector).length === 0 ? [] : [backendRead(service)];
}

/** Whether every pod that can be judged is sick. */
export function allSick(pods: readonly PodFact[], episode: Episode): boolean {
  const sick = pods.filter((pod) => troubleOf(pod, episode) !== undefined);
  return sick.length > 0 && pods.every((pod) => !pod.ready || sick.includes(pod));
}
