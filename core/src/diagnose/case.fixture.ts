import { digestLog } from '../evidence/log-digest.ts';
import { renderLogDigest } from '../evidence/render-digest.ts';
import { renderEvents } from '../evidence/tables/events.ts';
import { renderPods } from '../evidence/tables/pods.ts';
import { renderHistory, renderJob, renderNodes, renderServices, renderWorkload } from '../evidence/tables/workloads.ts';
import { isTainted } from '../evidence/taint.ts';
import type { EventFact, JobFact, NodeFact, PodFact, RevisionFact, ServiceFact } from '../facts/facts.ts';
import { projectEvent } from '../facts/project-event.ts';
import { projectJob } from '../facts/project-job.ts';
import { projectNode } from '../facts/project-node.ts';
import { projectPod } from '../facts/project-pod.ts';
import { projectService } from '../facts/project-service.ts';
import { projectReplicaSetRevision, projectWorkload } from '../facts/project-workload.ts';
import { asRecord, type Raw } from '../facts/raw.ts';
import type { InvestigationSubject } from '../investigation/investigator.ts';
import { type Known, NOTHING_KNOWN } from './known.ts';
import type { TypedCall } from './tools.ts';

/** A small world around one Deployment `app` in namespace `shop`, as raw API objects. */
export interface World {
  readonly pods: readonly Raw[];
  /** Parts of the Deployment that differ from a plain one of three replicas. */
  readonly workload?: Raw;
  readonly replicaSets?: readonly Raw[];
  readonly events?: readonly Raw[];
  readonly nodes?: readonly Raw[];
  readonly services?: readonly {
    readonly name: string;
    readonly ready: number;
    readonly selector: Record<string, string>;
  }[];
  /** Pods found by a selector's `app` label. */
  readonly others?: Readonly<Record<string, readonly Raw[]>>;
  /** Log of each pod, or of one container of it as `pod/container`. */
  readonly logs?: Readonly<Record<string, string>>;
  readonly job?: Raw;
}

export const NOW = new Date('2026-01-01T12:00:00Z');

export const SUBJECT: InvestigationSubject = {
  incidentId: 'i',
  cluster: 'c',
  kind: 'CrashLoopBackOff',
  title: 't',
  namespace: 'shop',
  owner: { kind: 'Deployment', name: 'app' },
  ownerChain: ['Pod/x', 'ReplicaSet/y', 'Deployment/app'],
  firstSignalAt: NOW,
  signals: [],
  now: NOW,
};

export interface PodOptions {
  readonly revision?: number;
  readonly ready?: boolean;
  readonly container?: Raw;
  readonly status?: Raw;
  readonly volumes?: readonly Raw[];
  readonly phase?: string;
  readonly conditions?: readonly Raw[];
  readonly owner?: Raw;
  readonly labels?: Readonly<Record<string, string>>;
  /** A second container of the pod and its status, and an init container before both. */
  readonly sidecar?: { readonly container: Raw; readonly status: Raw };
  readonly init?: { readonly container: Raw; readonly status: Raw };
  readonly createdAt?: string;
}

/** A pod of revision 1, ready, unless said otherwise. */
export function pod(name: string, options: PodOptions = {}): Raw {
  const { revision = 1, ready = true } = options;
  return {
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      creationTimestamp: options.createdAt ?? '2026-01-01T11:50:00Z',
      labels: { app: 'app', 'pod-template-hash': `r${revision}`, ...options.labels },
      ownerReferences: [
        options.owner ?? { kind: 'ReplicaSet', name: `app-r${revision}`, uid: `rs-${revision}`, controller: true },
      ],
    },
    spec: {
      nodeName: 'node-a',
      initContainers: options.init === undefined ? [] : [options.init.container],
      containers: [
        { name: 'app', image: 'app:1', ...options.container },
        ...(options.sidecar === undefined ? [] : [options.sidecar.container]),
      ],
      volumes: options.volumes ?? [],
    },
    status: {
      phase: options.phase ?? 'Running',
      conditions: options.conditions ?? [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: [
        {
          name: 'app',
          ready,
          restartCount: 0,
          state: { running: { startedAt: '2026-01-01T11:50:00Z' } },
          ...options.status,
        },
        ...(options.sidecar === undefined ? [] : [options.sidecar.status]),
      ],
      initContainerStatuses: options.init === undefined ? [] : [options.init.status],
    },
  };
}

export function crashed(exitCode = 1, reason = 'Error', message?: string): Raw {
  return {
    ready: false,
    restartCount: 4,
    state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' } },
    lastState: {
      terminated: {
        exitCode,
        reason,
        ...(message === undefined ? {} : { message }),
        startedAt: '2026-01-01T11:58:00Z',
        finishedAt: '2026-01-01T11:58:10Z',
      },
    },
  };
}

export function waiting(reason: string, message = ''): Raw {
  return { ready: false, state: { waiting: { reason, message } } };
}

export function replicaSet(
  revision: number,
  container: Raw,
  status: { ready?: number; replicas?: number; at?: string } = {},
): Raw {
  return {
    metadata: {
      name: `app-r${revision}`,
      namespace: 'shop',
      uid: `rs-${revision}`,
      creationTimestamp: status.at ?? `2026-01-01T11:5${revision}:00Z`,
      annotations: { 'deployment.kubernetes.io/revision': String(revision) },
    },
    spec: {
      template: {
        metadata: { labels: { app: 'app' } },
        spec: { containers: [{ name: 'app', image: 'app:1', ...container }] },
      },
    },
    status: { replicas: status.replicas ?? 1, readyReplicas: status.ready ?? 0 },
  };
}

export function event(reason: string, object: string, message: string, type = 'Warning', kind = 'Pod'): Raw {
  return {
    metadata: { uid: `e-${reason}-${object}`, namespace: 'shop' },
    type,
    reason,
    message,
    count: 3,
    lastTimestamp: '2026-01-01T11:59:00Z',
    involvedObject: { kind, name: object, namespace: 'shop' },
    source: { component: 'kubelet' },
  };
}

export function node(name: string, memory: string, cpu = '4'): Raw {
  return {
    metadata: { name, uid: name },
    status: { allocatable: { memory, cpu }, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

export const env = (name: string, value: string): Raw => ({ env: [{ name, value }] });
export const limit = (memory: string): Raw => ({ resources: { limits: { memory } } });
export const badRollout: World = {
  pods: [
    pod('old-1'),
    pod('old-2'),
    pod('new-1', { revision: 2, ready: false, status: crashed(), container: env('URL', 'db:54e2') }),
  ],
  replicaSets: [replicaSet(1, env('URL', 'db:5432'), { ready: 2 }), replicaSet(2, env('URL', 'db:54e2'))],
  logs: { 'new-1': 'info starting\nerror invalid URL: cannot parse "db:54e2"\nfatal exiting' },
};

/** Answers a call from the world, in the same words as the tools; undefined where the world holds nothing. */
export function answer(world: World, call: TypedCall): { readonly value: unknown; readonly text: string } | undefined {
  switch (call.tool) {
    case 'get_workload': {
      const { metadata, spec, status } = world.workload ?? {};
      const raw = {
        kind: 'Deployment',
        metadata: { name: 'app', namespace: 'shop', uid: 'uid-app', ...asRecord(metadata) },
        spec: { replicas: 3, ...asRecord(spec) },
        status: asRecord(status),
      };
      const value = projectWorkload(raw, 'Deployment');
      return { value, text: renderWorkload(value) };
    }
    case 'get_pods': {
      const list = call.args.selector === undefined ? world.pods : (world.others?.[call.args.selector.app ?? ''] ?? []);
      const value: readonly PodFact[] = list.map(projectPod);
      return { value, text: renderPods(`pods of ${call.args.name ?? 'others'}`, value) };
    }
    case 'get_rollout_history': {
      const revisions = (world.replicaSets ?? [replicaSet(1, {}, { ready: 1 })]).map(projectReplicaSetRevision);
      const value: readonly RevisionFact[] = revisions
        .filter((revision) => revision !== undefined)
        .sort((a, b) => b.revision - a.revision);
      return { value, text: renderHistory('revisions of Deployment shop/app', value) };
    }
    case 'get_events': {
      const value: readonly EventFact[] = (world.events ?? []).map(projectEvent);
      return { value, text: renderEvents('events of shop', value) };
    }
    case 'get_nodes': {
      const value: readonly NodeFact[] = (world.nodes ?? []).map(projectNode);
      return { value, text: renderNodes(value) };
    }
    case 'get_services': {
      const value: readonly ServiceFact[] = (world.services ?? []).map(({ name, ready, selector }) => {
        const plain = projectService({ metadata: { name, namespace: 'shop' }, spec: { selector } }, []);
        return { ...plain, endpoints: { ...plain.endpoints, ready } };
      });
      return { value, text: renderServices('shop', value) };
    }
    case 'get_logs': {
      const digest = digestLog(
        world.logs?.[`${call.args.pod}/${call.args.container}`] ?? world.logs?.[call.args.pod] ?? '',
      );
      const text = renderLogDigest(`log of ${call.args.pod}/${call.args.container}`, digest);
      const { pod: podName, container, previous } = call.args;
      return { value: { pod: podName, container, previous, lines: digest.tail.map((line) => line.text) }, text };
    }
    case 'get_job': {
      if (world.job === undefined) return undefined;
      const value: JobFact = projectJob(world.job);
      return { value, text: renderJob(value) };
    }
    default:
      return undefined;
  }
}

/** All that a gather plan reads of the world. */
export function gatherFrom(
  world: World,
  subject: InvestigationSubject,
  next: (known: Known) => readonly TypedCall[],
): Known {
  let known = NOTHING_KNOWN;
  for (let round = 0; round < 6; round += 1) {
    const calls = next(known);
    if (calls.length === 0) break;
    for (const [index, call] of calls.entries()) {
      const found = answer(world, call);
      const text = found?.text ?? 'not found';
      known = known.with(call, {
        stepId: `${subject.incidentId}.${round}.${index}`,
        text,
        tainted: isTainted(text),
        ...(found === undefined ? {} : { value: found.value }),
      });
    }
  }
  return known;
}
