import { parseMemoryBytes } from '@hephaisto/core/facts/quantity';
import { asRecord, type Raw } from '@hephaisto/core/facts/raw';
import type { ExpectedCause, ExpectedIncident } from '../stories/expected.ts';

/** What an investigator and the plan after it made of an incident. */
export interface Seen {
  readonly cause: Raw | undefined;
  readonly certainty: string | undefined;
  /** Quotations that stand behind the cause. */
  readonly excerpts: readonly string[];
  readonly action: { readonly type: string; readonly params: Raw } | undefined;
  readonly ungrounded: number;
}

export interface Score {
  readonly cause: boolean;
  readonly entity: boolean;
  readonly proposal: boolean;
}

/** Compares what was made of it with what the story says must be found and done. */
export function scoreOf(seen: Seen, expected: ExpectedIncident): Score {
  return {
    cause: seen.cause !== undefined && causeRight(seen.cause, seen.excerpts, expected.cause),
    entity: entityRight(seen.cause, expected),
    proposal: proposalRight(seen.action, expected),
  };
}

function causeRight(cause: Raw, excerpts: readonly string[], expected: ExpectedCause): boolean {
  if (cause.kind !== expected.kind) return false;
  switch (expected.kind) {
    case 'rollout-change':
      return (
        cause.revision === expected.revision &&
        cause.previousRevision === expected.previousRevision &&
        [...listOf(cause.changes), cause.decisive].some((change) => asRecord(change).path === expected.field)
      );
    case 'memory-limit-too-low':
      return cause.container === expected.container && cause.limitBytes === expected.limitBytes;
    case 'stale-local-state':
    case 'crash-application':
      return excerpts.some((excerpt) => new RegExp(expected.line).test(excerpt));
    case 'image-missing':
      return cause.image === expected.image;
    case 'unschedulable':
      return cause.resource === expected.resource;
    case 'config-missing':
      return cause.source === expected.source && cause.name === expected.name && cause.key === expected.key;
    case 'upstream':
      return asRecord(cause.service).name === expected.service;
    case 'one-bad-replica':
      return true;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function entityRight(cause: Raw | undefined, { workload }: ExpectedIncident): boolean {
  const named = asRecord(cause?.workload);
  return named.kind === workload.kind && named.name === workload.name;
}

function proposalRight(action: Seen['action'], { proposal }: ExpectedIncident): boolean {
  if (proposal.kind === 'none') return action === undefined;
  if (action?.type !== proposal.kind) return false;
  if (proposal.kind === 'RollbackWorkload')
    return action.params.fromRevision === proposal.fromRevision && action.params.toRevision === proposal.toRevision;
  if (proposal.kind === 'PatchResources')
    return Number(action.params.memoryLimitBytes) >= (parseMemoryBytes(proposal.atLeast) ?? 0);
  return true;
}
