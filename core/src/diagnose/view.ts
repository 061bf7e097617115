import type {
  EventFact,
  JobFact,
  NodeFact,
  ObjectRef,
  PodFact,
  RevisionFact,
  ServiceFact,
  WorkloadFact,
} from '../facts/facts.ts';
import type { InvestigationSubject } from '../investigation/investigator.ts';
import { type Episode, episodeOf } from './episode.ts';
import type { Known, Reading } from './known.ts';
import type { LogReading } from './tools.ts';
import { type Trouble, troubleOf } from './trouble.ts';

/** One investigation's readings in the shape that rules ask for. Everything absent was not read or could not be. */
export interface CaseView {
  readonly subject: InvestigationSubject;
  readonly known: Known;
  /** What the incident is about, with uid where it was read. */
  readonly about: ObjectRef | undefined;
  readonly episode: Episode;
  readonly workload: Reading<WorkloadFact> | undefined;
  /** The pods of the workload, without those that are being deleted. */
  readonly pods: Reading<readonly PodFact[]> | undefined;
  readonly history: Reading<readonly RevisionFact[]> | undefined;
  readonly events: Reading<readonly EventFact[]> | undefined;
  readonly nodes: Reading<readonly NodeFact[]> | undefined;
  readonly services: Reading<readonly ServiceFact[]> | undefined;
  readonly job: Reading<JobFact> | undefined;
  /** Logs of the workload's own pods. */
  readonly logs: readonly Reading<LogReading>[];
  readonly troubles: readonly Trouble[];
}

/** Owner kinds that have pods and revisions. */
export const WORKLOAD_KINDS: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'];

export function viewOf(subject: InvestigationSubject, known: Known): CaseView {
  const owner = subject.owner;
  const workload = known.one('get_workload', (args) => args.kind === owner?.kind && args.name === owner.name);
  const job = known.one('get_job', (args) => args.name === jobName(subject));
  const pods = ownPods(subject, known);
  const events = known.one('get_events');
  const episode = episodeOf(subject);
  const podNames = new Set(pods?.value.map((pod) => pod.name));
  return {
    subject,
    known,
    episode,
    about: aboutOf(subject, workload?.value.uid ?? job?.value.uid),
    workload,
    pods,
    history: known.one('get_rollout_history', (args) => args.name === owner?.name),
    events,
    nodes: known.one('get_nodes'),
    services: known.one('get_services'),
    job,
    logs: known.all('get_logs').filter((log) => podNames.has(log.value.pod)),
    troubles: pods?.value.map((pod) => troubleOf(pod, episode)).filter((trouble) => trouble !== undefined) ?? [],
  };
}

function ownPods(subject: InvestigationSubject, known: Known): Reading<readonly PodFact[]> | undefined {
  const name = jobName(subject) ?? subject.owner?.name;
  const list = known.one('get_pods', (args) => args.name === name);
  if (list !== undefined) return { ...list, value: list.value.filter((pod) => pod.deletingSince === undefined) };
  const single = known.one('get_pod');
  return single === undefined ? undefined : { ...single, value: [single.value] };
}

/** The Job an incident is about: itself the owner, or under a CronJob. */
export function jobName(subject: InvestigationSubject): string | undefined {
  if (subject.owner?.kind === 'Job') return subject.owner.name;
  const link = subject.ownerChain.find((entry) => entry.startsWith('Job/'));
  return link?.slice('Job/'.length);
}

function aboutOf(subject: InvestigationSubject, uid: string | undefined): ObjectRef | undefined {
  const job = jobName(subject);
  if (job !== undefined) return ref('Job', subject.namespace ?? '', job, uid);
  if (subject.owner !== undefined) return ref(subject.owner.kind, subject.namespace ?? '', subject.owner.name, uid);
  return undefined;
}

function ref(kind: string, namespace: string, name: string, uid: string | undefined): ObjectRef {
  return { kind, namespace, name, ...(uid === undefined || uid === '' ? {} : { uid }) };
}

/** The logs of the containers that have the troubles. Another container's log is no evidence about them. */
export function logsOf(view: Pick<CaseView, 'logs'>, troubles: readonly Trouble[]): readonly Reading<LogReading>[] {
  return view.logs.filter(({ value }) =>
    troubles.some(({ pod, container }) => pod.name === value.pod && container === value.container),
  );
}

/** The revision that made a pod. */
export function revisionOf(pod: PodFact, revisions: readonly RevisionFact[]): RevisionFact | undefined {
  const controller = pod.owners.find((owner) => owner.controller) ?? pod.owners[0];
  const hash = pod.labels['controller-revision-hash'];
  return revisions.find((revision) => revision.uid === controller?.uid || revision.name === hash);
}

/** The Deployment or other controller above a pod; a ReplicaSet's name less the hash is its Deployment's. */
export function controllerOf(pod: PodFact): ObjectRef | undefined {
  const controller = pod.owners.find((owner) => owner.controller) ?? pod.owners[0];
  if (controller === undefined) return undefined;
  const hash = pod.labels['pod-template-hash'];
  if (controller.kind === 'ReplicaSet' && hash !== undefined && controller.name.endsWith(`-${hash}`)) {
    return { kind: 'Deployment', namespace: pod.namespace, name: controller.name.slice(0, -hash.length - 1) };
  }
  return { kind: controller.kind, namespace: pod.namespace, name: controller.name, uid: controller.uid };
}
