import type { EventFact, JobFact, NodeFact, PodFact, RevisionFact, ServiceFact, WorkloadFact } from '../facts/facts.ts';
import type { QuotaFact } from '../facts/project-quota.ts';
import type { FieldChange } from '../finding/finding.ts';

/** What a log tool read, beside the digest that is its text. Times of the kubelet and colours are gone; secrets are redacted. */
export interface LogReading {
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
  /** The lines of the digest that stood in the log: each can be quoted. */
  readonly lines: readonly string[];
}

/** Names and keys that a workload takes its configuration from. */
export interface ConfigReference {
  readonly container?: string;
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  readonly key?: string;
  readonly usedAs: string;
  readonly optional: boolean;
}

/** The latest rollout of one workload. */
export interface ChangeFact {
  readonly workload: string;
  readonly revision: number;
  readonly at: Date;
  readonly fields: readonly FieldChange[];
}

/** The typed answer of each read-only tool; its text says the same to people and models. */
export interface ToolValues {
  readonly get_workload: WorkloadFact;
  readonly list_workloads: readonly WorkloadFact[];
  readonly get_pods: readonly PodFact[];
  readonly get_pod: PodFact;
  readonly get_rollout_history: readonly RevisionFact[];
  readonly get_events: readonly EventFact[];
  readonly get_logs: LogReading;
  readonly get_nodes: readonly NodeFact[];
  readonly get_config_references: readonly ConfigReference[];
  readonly get_services: readonly ServiceFact[];
  readonly get_job: JobFact;
  readonly get_quota: readonly QuotaFact[];
  readonly get_recent_changes: readonly ChangeFact[];
}
export type ToolName = keyof ToolValues;

export const TOOL_NAMES = [
  'get_workload',
  'list_workloads',
  'get_pods',
  'get_pod',
  'get_rollout_history',
  'get_events',
  'get_logs',
  'get_nodes',
  'get_config_references',
  'get_services',
  'get_job',
  'get_quota',
  'get_recent_changes',
] as const satisfies readonly ToolName[];

/** Arguments of each tool, as its schema reads them. */
export interface ToolArgs {
  readonly get_workload: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly list_workloads: { readonly kind: string; readonly namespace: string };
  readonly get_pods: {
    readonly namespace: string;
    /** Owner by kind and name, or labels. */
    readonly kind?: string;
    readonly name?: string;
    readonly selector?: Readonly<Record<string, string>>;
  };
  readonly get_pod: { readonly namespace: string; readonly name: string };
  readonly get_rollout_history: { readonly kind: string; readonly namespace: string; readonly name: string };
  /** `name`: the object, or all whose names begin with it and a dash. */
  readonly get_events: { readonly namespace: string; readonly name?: string };
  readonly get_logs: {
    readonly namespace: string;
    readonly pod: string;
    readonly container: string;
    readonly previous: boolean;
  };
  readonly get_nodes: Readonly<Record<string, never>>;
  readonly get_config_references: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly get_services: { readonly namespace: string };
  readonly get_job: { readonly namespace: string; readonly name: string };
  readonly get_quota: { readonly namespace: string };
  readonly get_recent_changes: { readonly namespace: string };
}

export type TypedCall = { [T in ToolName]: { readonly tool: T; readonly args: ToolArgs[T] } }[ToolName];

/** The identity of a call: equal calls have equal keys, in whatever order their arguments were written. */
export function callKey(call: { readonly tool: string; readonly args: unknown }): string {
  return `${call.tool} ${canonical(call.args)}`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}
