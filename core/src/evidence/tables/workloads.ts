import type { JobFact, NodeFact, RevisionFact, ServiceFact, WorkloadFact } from '../../facts/facts.ts';
import { pausedRollout } from '../../facts/paused-rollout.ts';
import { formatCpu, formatMemory } from '../../facts/quantity.ts';
import { changeLine, diffTemplates } from '../../facts/template-diff.ts';
import { instant, oneLine } from './text.ts';

export function renderWorkload(workload: WorkloadFact): string {
  const { status } = workload;
  return [
    `${workload.kind} ${workload.namespace}/${workload.name}: wants ${workload.replicas}, has ${status.replicas}, updated ${status.updated}, ready ${status.ready}, available ${status.available}`,
    `revision ${workload.revision ?? '-'}, generation ${workload.generation}, observed ${workload.observedGeneration}, paused ${pausedText(workload)}, created ${instant(workload.createdAt)}`,
    ...workload.owners.map((owner) => `owned by ${owner.kind}/${owner.name}`),
    ...workload.conditions.map(
      (condition) =>
        `condition ${condition.type} ${condition.status} ${condition.reason ?? ''} since ${instant(condition.since)}: ${oneLine(condition.message ?? '')}`,
    ),
  ].join('\n');
}

function pausedText(workload: WorkloadFact): string {
  const paused = pausedRollout(workload);
  if (paused === undefined) return 'no';
  return `yes${paused.by === undefined ? '' : ` by field manager ${paused.by}`}${paused.at === undefined ? '' : ` at ${paused.at}`}`;
}

/** Revisions shown; older ones are counted. */
const SHOWN_REVISIONS = 10;
/** Pairs of neighbours whose difference is shown. */
const SHOWN_DIFFS = 4;

export function renderHistory(title: string, revisions: readonly RevisionFact[]): string {
  const shown = revisions.slice(0, SHOWN_REVISIONS);
  const newest = shown[0];
  const pairs = shown.slice(0, SHOWN_DIFFS).flatMap((to, index) => {
    const from = shown[index + 1];
    return from === undefined ? [] : [[from, to] as const];
  });
  const good = shown.slice(1).find((revision) => revision.ready > 0);
  // The last one that works need not be the one before: two bad rollouts may follow each other.
  if (newest !== undefined && good !== undefined && good !== shown[1]) pairs.unshift([good, newest]);
  return [
    `${title}: ${revisions.length} revisions, newest first`,
    ...shown.map(revisionLine),
    ...(revisions.length > shown.length ? [`[${revisions.length - shown.length} older revisions omitted]`] : []),
    ...pairs.flatMap(([from, to]) => renderDiff(from, to)),
  ].join('\n');
}

export function revisionLine(revision: RevisionFact): string {
  const cause = revision.changeCause === undefined ? '' : `, change cause: ${oneLine(revision.changeCause, 200)}`;
  return `revision ${revision.revision}: ${revision.name}, created ${instant(revision.createdAt)}, pods ${revision.replicas}, ready ${revision.ready}${cause}`;
}

function renderDiff(from: RevisionFact, to: RevisionFact): readonly string[] {
  const changes = diffTemplates(from.template, to.template);
  const head = `changes from revision ${from.revision} to revision ${to.revision}: ${changes.length === 0 ? 'none' : changes.length}`;
  return [head, ...changes.map(changeLine)];
}

export function renderNodes(nodes: readonly NodeFact[]): string {
  return [
    `${nodes.length} nodes, ${nodes.filter((node) => node.ready === 'True').length} ready`,
    ...nodes.map((node) => {
      const pressure = node.conditions.filter(({ type, status }) => type !== 'Ready' && status === 'True');
      return [
        `node ${node.name}: ready ${node.ready}`,
        ...(node.unschedulable ? ['cordoned'] : []),
        `allocatable cpu ${node.allocatable.cpuMillis === undefined ? '-' : formatCpu(node.allocatable.cpuMillis)} memory ${node.allocatable.memoryBytes === undefined ? '-' : formatMemory(node.allocatable.memoryBytes)}`,
        ...node.taints.map(
          (taint) => `taint ${taint.key}${taint.value === undefined ? '' : `=${taint.value}`}:${taint.effect}`,
        ),
        ...pressure.map(({ type, message }) => `${type} True ${oneLine(message ?? '', 200)}`),
      ].join(', ');
    }),
  ].join('\n');
}

export function renderServices(namespace: string, services: readonly ServiceFact[]): string {
  // Those without a ready endpoint first, so that a cap on the text cuts the healthy ones.
  const sorted = [...services].sort((a, b) => a.endpoints.ready - b.endpoints.ready);
  return [`services of ${namespace}: ${services.length}`, ...sorted.map(serviceLine)].join('\n');
}

export function serviceLine(service: ServiceFact): string {
  const selector = Object.entries(service.selector).map(([key, value]) => `${key}=${value}`);
  const ports = service.ports.map(({ port }) => String(port));
  return `service ${service.name}: ${service.endpoints.ready} ready endpoints, ${service.endpoints.notReady} not ready, ports ${ports.join(' ') || '-'}, selects ${selector.join(' ') || 'nothing'}`;
}

export function renderJob(job: JobFact): string {
  return [
    `Job ${job.namespace}/${job.name}: active ${job.active}, succeeded ${job.succeeded}, failed ${job.failed}, backoff limit ${job.backoffLimit}, created ${instant(job.createdAt)}`,
    ...job.owners.map((owner) => `owned by ${owner.kind}/${owner.name}`),
    ...job.conditions.map(
      (condition) =>
        `condition ${condition.type} ${condition.status} ${condition.reason ?? ''}: ${oneLine(condition.message ?? '')}`,
    ),
  ].join('\n');
}
