import type { ToolArgs, ToolName, ToolValues } from '../diagnose/tools.ts';
import type { JobFact, NodeFact, PodFact, RevisionFact, ServiceFact, WorkloadFact } from '../facts/facts.ts';
import type { ToolAnswer, ToolCall } from '../investigation/investigator.ts';

/** One recorded call with its answer. */
export interface RecordedCall {
  readonly call: ToolCall;
  readonly answer: ToolAnswer<unknown>;
}

/** Every object that some step has read, as data: what a cause may name and an act may be aimed at. */
export interface Observed {
  readonly workloads: readonly WorkloadFact[];
  readonly pods: readonly PodFact[];
  readonly jobs: readonly JobFact[];
  readonly services: readonly ServiceFact[];
  readonly nodes: readonly NodeFact[];
  /** Revisions of a workload, newest first. */
  revisions(kind: string, namespace: string, name: string): readonly RevisionFact[];
}

/** The newest reading of an object wins. */
export function observedIn(calls: readonly RecordedCall[]): Observed {
  const workloads = new Map<string, WorkloadFact>();
  const pods = new Map<string, PodFact>();
  const jobs = new Map<string, JobFact>();
  const services = new Map<string, ServiceFact>();
  const nodes = new Map<string, NodeFact>();
  const revisions = new Map<string, readonly RevisionFact[]>();
  for (const { call, answer } of calls) {
    if (answer.value === undefined) continue;
    const read = <T extends ToolName>(tool: T) => (call.tool === tool ? (answer.value as ToolValues[T]) : undefined);
    const workload = read('get_workload');
    for (const item of workload === undefined ? (read('list_workloads') ?? []) : [workload])
      workloads.set(keyOf(item.kind, item.namespace, item.name), item);
    const pod = read('get_pod');
    for (const item of pod === undefined ? (read('get_pods') ?? []) : [pod])
      pods.set(`${item.namespace}/${item.name}`, item);
    const job = read('get_job');
    if (job !== undefined) jobs.set(`${job.namespace}/${job.name}`, job);
    for (const item of read('get_services') ?? []) services.set(`${item.namespace}/${item.name}`, item);
    for (const item of read('get_nodes') ?? []) nodes.set(item.name, item);
    const history = read('get_rollout_history');
    if (history !== undefined) {
      const args = call.args as unknown as ToolArgs['get_rollout_history'];
      revisions.set(keyOf(args.kind, args.namespace, args.name), history);
    }
  }
  return {
    workloads: [...workloads.values()],
    pods: [...pods.values()],
    jobs: [...jobs.values()],
    services: [...services.values()],
    nodes: [...nodes.values()],
    revisions: (kind, namespace, name) => revisions.get(keyOf(kind, namespace, name)) ?? [],
  };
}

function keyOf(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}
