import type { ObjectRef, RevisionFact, WorkloadFact } from '@hephaisto/core/facts/facts';
import { projectEvent } from '@hephaisto/core/facts/project-event';
import { projectJob } from '@hephaisto/core/facts/project-job';
import { projectMeta } from '@hephaisto/core/facts/project-meta';
import { projectNode } from '@hephaisto/core/facts/project-node';
import { projectPod } from '@hephaisto/core/facts/project-pod';
import { projectLimitRange, projectResourceQuota } from '@hephaisto/core/facts/project-quota';
import { projectService } from '@hephaisto/core/facts/project-service';
import {
  projectControllerRevision,
  projectReplicaSetRevision,
  projectWorkload,
} from '@hephaisto/core/facts/project-workload';
import type { Raw } from '@hephaisto/core/facts/raw';
import type { KubeFailure, KubeRead, KubeReader } from '@hephaisto/core/ports/kube';
import type { KubeConnection } from './connection.ts';
import { mapRead, READ_LIMITS, type ReadLimits, readList, readObject } from './reader-list.ts';
import { labelSelector, resourcePath, WORKLOAD_RESOURCES } from './resource-path.ts';

const SECRETS_ARE_NEVER_READ: KubeFailure = {
  kind: 'failure',
  reason: 'forbidden',
  message: 'expected any kind but Secret; secrets are never read',
};

/** The read-only client of one cluster over plain JSON requests. */
export function createKubeReader(connection: KubeConnection, limits: Partial<ReadLimits> = {}): KubeReader {
  const bounds: ReadLimits = { ...READ_LIMITS, ...limits };
  const get = (path: string) => readObject(connection, path, {}, bounds);
  const list = (path: string, query: Readonly<Record<string, string | undefined>> = {}) =>
    readList(connection, path, query, bounds);
  return {
    until: (signal) =>
      createKubeReader(connection, {
        ...bounds,
        signal: bounds.signal === undefined ? signal : AbortSignal.any([bounds.signal, signal]),
      }),
    pod: async (namespace, name) => mapRead(await get(resourcePath('v1', 'pods', namespace, name)), projectPod),
    pods: async (namespace, selector) =>
      mapRead(
        await list(resourcePath('v1', 'pods', namespace, ''), {
          labelSelector: selector === undefined ? undefined : labelSelector(selector),
        }),
        (items) => items.map(projectPod),
      ),
    async workload(kind, namespace, name) {
      const resource = WORKLOAD_RESOURCES[kind];
      if (resource === undefined) return unknownKind(kind);
      return mapRead(await get(resourcePath('apps/v1', resource, namespace, name)), (raw) =>
        projectWorkload(raw, kind),
      );
    },
    async workloads(kind, namespace) {
      const resource = WORKLOAD_RESOURCES[kind];
      if (resource === undefined) return unknownKind(kind);
      return mapRead(await list(resourcePath('apps/v1', resource, namespace, '')), (items) =>
        items.map((raw) => projectWorkload(raw, kind)),
      );
    },
    revisions: (workload) => readRevisions(list, workload),
    events: async (namespace, regarding) =>
      mapRead(
        await list(resourcePath('v1', 'events', namespace, ''), {
          fieldSelector: regarding === undefined ? undefined : eventSelector(regarding),
        }),
        (items) => items.map(projectEvent),
      ),
    nodes: async () => mapRead(await list(resourcePath('v1', 'nodes', '', '')), (items) => items.map(projectNode)),
    job: async (namespace, name) => mapRead(await get(resourcePath('batch/v1', 'jobs', namespace, name)), projectJob),
    async services(namespace) {
      const [services, slices] = await Promise.all([
        list(resourcePath('v1', 'services', namespace, '')),
        list(resourcePath('discovery.k8s.io/v1', 'endpointslices', namespace, '')),
      ]);
      if (slices.kind === 'failure') return slices;
      return mapRead(services, (items) => items.map((raw) => projectService(raw, slices.value)));
    },
    async quotas(namespace) {
      const [quotas, ranges] = await Promise.all([
        list(resourcePath('v1', 'resourcequotas', namespace, '')),
        list(resourcePath('v1', 'limitranges', namespace, '')),
      ]);
      if (ranges.kind === 'failure') return ranges;
      return mapRead(quotas, (items) => [...items.map(projectResourceQuota), ...ranges.value.map(projectLimitRange)]);
    },
    namespaceLabels: async (namespace) =>
      mapRead(await get(resourcePath('v1', 'namespaces', '', namespace)), (raw) => projectMeta(raw).labels),
    logs: (namespace, pod, container, options) => readLogs(connection, bounds, { namespace, pod, container }, options),
    async object(apiVersion, resource, namespace, name) {
      if (resource.toLowerCase().startsWith('secret')) return SECRETS_ARE_NEVER_READ;
      return get(resourcePath(apiVersion, resource, namespace, name));
    },
  };
}

type List = (path: string, query?: Readonly<Record<string, string | undefined>>) => Promise<KubeRead<readonly Raw[]>>;

async function readRevisions(list: List, workload: WorkloadFact): Promise<KubeRead<readonly RevisionFact[]>> {
  const isDeployment = workload.kind === 'Deployment';
  const items = await list(
    resourcePath('apps/v1', isDeployment ? 'replicasets' : 'controllerrevisions', workload.namespace, ''),
    { labelSelector: labelSelector(workload.selector) || undefined },
  );
  return mapRead(items, (objects) =>
    objects
      // Selectors may overlap; the owner reference alone says whose history it is.
      .filter((object) => projectMeta(object).owners.some((owner) => owner.uid === workload.uid))
      .map(isDeployment ? projectReplicaSetRevision : projectControllerRevision)
      .filter((revision) => revision !== undefined)
      .sort((a, b) => b.revision - a.revision),
  );
}

function eventSelector(regarding: ObjectRef): string {
  const parts = [`involvedObject.kind=${regarding.kind}`, `involvedObject.name=${regarding.name}`];
  if (regarding.uid !== undefined && regarding.uid !== '') parts.push(`involvedObject.uid=${regarding.uid}`);
  return parts.join(',');
}

async function readLogs(
  connection: KubeConnection,
  limits: ReadLimits,
  of: { readonly namespace: string; readonly pod: string; readonly container: string },
  options: { readonly previous: boolean; readonly tailLines: number; readonly limitBytes: number },
): Promise<KubeRead<string>> {
  const answer = await connection.request({
    method: 'GET',
    path: `${resourcePath('v1', 'pods', of.namespace, of.pod)}/log`,
    query: {
      container: of.container,
      previous: options.previous ? 'true' : undefined,
      tailLines: String(options.tailLines),
      limitBytes: String(options.limitBytes),
      // The kubelet's own times: what the application prints may have none, or lie.
      timestamps: 'true',
    },
    headers: { accept: 'text/plain, application/json, */*' },
    timeoutMs: limits.timeoutMs,
    maxBytes: options.limitBytes + 64 * 1024,
    ...(limits.signal === undefined ? {} : { signal: limits.signal }),
  });
  return mapRead(answer, (value) => value.text);
}

function unknownKind(kind: string): KubeFailure {
  return {
    kind: 'failure',
    reason: 'invalid',
    message: `expected one of ${Object.keys(WORKLOAD_RESOURCES).join(', ')}, found \`${kind}\``,
  };
}
