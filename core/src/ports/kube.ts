import type { KubeWrite } from '../action/types.ts';
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
import type { QuotaFact } from '../facts/project-quota.ts';

/**
 * Why a read or write brought no answer. `unsent` is certain (connection refused before a byte left); `timeout` and `cut` after
 * sending are not, and a write that ends so is Unknown until it is read back.
 */
export type KubeFailure = {
  readonly kind: 'failure';
  readonly reason:
    | 'forbidden'
    | 'unauthorized'
    | 'not-found'
    | 'conflict'
    | 'gone'
    | 'invalid'
    | 'too-many-requests'
    | 'server-error'
    | 'timeout'
    | 'cut'
    | 'unsent'
    | 'malformed';
  readonly status?: number;
  readonly message: string;
  readonly retryAfterSeconds?: number;
  /** What a refusal rests on, where the server says so. */
  readonly cause?: 'disruption-budget';
};

export type KubeRead<T> = { readonly kind: 'ok'; readonly value: T } | KubeFailure;

/**
 * Read-only questions to one cluster. Never throws: every failure is a value, since "could not read" is a fact of its own.
 * Each call is bounded in time and size. Nothing here can change the cluster, and nothing reads a Secret.
 */
export interface KubeReader {
  /** The same questions; those under way end as failures when the signal aborts, and their requests with them. */
  until(signal: AbortSignal): KubeReader;
  pod(namespace: string, name: string): Promise<KubeRead<PodFact>>;
  pods(namespace: string, selector?: Readonly<Record<string, string>>): Promise<KubeRead<readonly PodFact[]>>;
  workload(kind: string, namespace: string, name: string): Promise<KubeRead<WorkloadFact>>;
  workloads(kind: string, namespace: string): Promise<KubeRead<readonly WorkloadFact[]>>;
  /** Newest first. */
  revisions(workload: WorkloadFact): Promise<KubeRead<readonly RevisionFact[]>>;
  events(namespace: string, regarding?: ObjectRef): Promise<KubeRead<readonly EventFact[]>>;
  nodes(): Promise<KubeRead<readonly NodeFact[]>>;
  job(namespace: string, name: string): Promise<KubeRead<JobFact>>;
  services(namespace: string): Promise<KubeRead<readonly ServiceFact[]>>;
  /** Quotas of a namespace and the limits its containers get by default. */
  quotas(namespace: string): Promise<KubeRead<readonly QuotaFact[]>>;
  namespaceLabels(namespace: string): Promise<KubeRead<Readonly<Record<string, string>>>>;
  /** Raw text of a container's log; `previous` is the one before the last restart. */
  logs(
    namespace: string,
    pod: string,
    container: string,
    options: { readonly previous: boolean; readonly tailLines: number; readonly limitBytes: number },
  ): Promise<KubeRead<string>>;
  /** Any object as the API holds it (never a Secret), for diffs and read-back. */
  object(
    apiVersion: string,
    resource: string,
    namespace: string,
    name: string,
  ): Promise<KubeRead<Readonly<Record<string, unknown>>>>;
}

/** The only handle that can change a cluster. Held by the executor alone; one call is one request, never retried here. */
export interface KubeWriter {
  send(
    write: KubeWrite,
    options: { readonly dryRun: boolean; readonly signal?: AbortSignal },
  ): Promise<KubeRead<Readonly<Record<string, unknown>>>>;
  /** An events.k8s.io Event about an object; failing is reported, never fatal. */
  event(event: {
    readonly regarding: ObjectRef & { readonly apiVersion: string };
    readonly reason: string;
    readonly action: string;
    readonly note: string;
    readonly type: 'Normal' | 'Warning';
  }): Promise<KubeRead<string>>;
}
