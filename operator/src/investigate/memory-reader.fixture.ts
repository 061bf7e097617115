import type { World } from '@hephaisto/core/diagnose/case.fixture';
import type { EventFact } from '@hephaisto/core/facts/facts';
import { projectEvent } from '@hephaisto/core/facts/project-event';
import { projectJob } from '@hephaisto/core/facts/project-job';
import { projectNode } from '@hephaisto/core/facts/project-node';
import { projectPod } from '@hephaisto/core/facts/project-pod';
import { projectService } from '@hephaisto/core/facts/project-service';
import { projectReplicaSetRevision, projectWorkload } from '@hephaisto/core/facts/project-workload';
import type { KubeFailure, KubeRead, KubeReader } from '@hephaisto/core/ports/kube';

export interface MemoryReader extends KubeReader {
  /** Every question that was asked, by method and what it was about. */
  readonly asked: string[];
  /** Answers the method with this failure from now on. */
  fail(method: string, failure: Omit<KubeFailure, 'kind'>): void;
  /** Leaves the method without an answer until its signal aborts. */
  hang(method: string): void;
  /** Methods whose signal aborted while they had no answer. */
  readonly brokenOff: string[];
}

/** Reads a small world that was written down as raw API objects. The world may be changed between reads. */
export function memoryReader(world: World): MemoryReader {
  const asked: string[] = [];
  const failures = new Map<string, KubeFailure>();
  const hanging = new Set<string>();
  const brokenOff: string[] = [];
  let bound: AbortSignal | undefined;
  function ask<T>(method: string, about: string, answer: () => T | undefined): Promise<KubeRead<T>> {
    asked.push(`${method} ${about}`);
    if (hanging.has(method)) {
      return new Promise((resolve) =>
        bound?.addEventListener('abort', () => {
          brokenOff.push(method);
          resolve({ kind: 'failure', reason: 'cut', message: 'broken off' });
        }),
      );
    }
    const failure = failures.get(method);
    if (failure !== undefined) return Promise.resolve(failure);
    const value = answer();
    if (value !== undefined) return Promise.resolve({ kind: 'ok', value });
    return Promise.resolve({ kind: 'failure', reason: 'not-found', status: 404, message: `${about} not found` });
  }
  const pods = () => world.pods.map(projectPod);
  const reader: MemoryReader = {
    until: (signal) => {
      bound = signal;
      return reader;
    },
    asked,
    brokenOff,
    hang: (method) => void hanging.add(method),
    fail: (method, failure) => void failures.set(method, { kind: 'failure', ...failure }),
    pod: (_namespace, name) => ask('pod', name, () => pods().find((pod) => pod.name === name)),
    pods: (_namespace, selector) =>
      ask('pods', JSON.stringify(selector ?? {}), () => {
        const others = world.others?.[selector?.app ?? ''];
        return others === undefined ? pods() : others.map(projectPod);
      }),
    workload: (kind, namespace, name) =>
      ask('workload', name, () =>
        projectWorkload({ kind, metadata: { name, namespace, uid: `uid-${name}` }, spec: { replicas: 3 } }, kind),
      ),
    workloads: (kind) => ask('workloads', kind, () => []),
    revisions: (workload) =>
      ask('revisions', workload.name, () =>
        (world.replicaSets ?? [])
          .map(projectReplicaSetRevision)
          .filter((revision) => revision !== undefined)
          .sort((a, b) => b.revision - a.revision),
      ),
    events: (namespace) => ask('events', namespace, (): readonly EventFact[] => (world.events ?? []).map(projectEvent)),
    nodes: () => ask('nodes', '', () => (world.nodes ?? []).map(projectNode)),
    job: (_namespace, name) => ask('job', name, () => (world.job === undefined ? undefined : projectJob(world.job))),
    services: (namespace) =>
      ask('services', namespace, () =>
        (world.services ?? []).map(({ name, ready, selector }) => {
          const plain = projectService({ metadata: { name, namespace }, spec: { selector } }, []);
          return { ...plain, endpoints: { ...plain.endpoints, ready } };
        }),
      ),
    quotas: (namespace) => ask('quotas', namespace, () => []),
    namespaceLabels: (namespace) => ask('namespaceLabels', namespace, () => ({})),
    logs: (_namespace, pod) => ask('logs', pod, () => world.logs?.[pod] ?? ''),
    object: (_apiVersion, resource, _namespace, name) =>
      ask<Readonly<Record<string, unknown>>>('object', `${resource} ${name}`, () => undefined),
  };
  return reader;
}
