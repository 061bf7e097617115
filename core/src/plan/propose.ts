import type { AnyActionRequest } from '../action/types.ts';
import { assertNever } from '../assert-never.ts';
import type { ObjectRef } from '../facts/facts.ts';
import { formatMemory } from '../facts/quantity.ts';
import type { Cause, PausedRollout } from '../finding/finding.ts';
import type { NoPlanReason, PlanBounds } from './vocabulary.ts';

export type Proposed =
  | { readonly kind: 'action'; readonly request: AnyActionRequest }
  | { readonly kind: 'none'; readonly reason: NoPlanReason; readonly message: string };

/** Which act follows from a cause. A cause that no act of ours repairs says so, and why. */
export function proposeFor(cause: Cause, bounds: PlanBounds): Proposed {
  switch (cause.kind) {
    case 'rollout-change':
      return cause.paused === undefined ? rollback(cause) : no('rollout-paused', pausedMessage(cause.paused));
    case 'memory-limit-too-low':
      return cause.paused === undefined
        ? raisedLimit(cause, bounds)
        : no('rollout-paused', pausedMessage(cause.paused));
    case 'stale-local-state':
      return restartedPod(cause);
    case 'one-bad-replica':
      return no(
        'no-safe-action',
        'nothing that was read says why this pod fails, so nothing says that a new one would not',
      );
    case 'image-missing':
      return no('needs-person:image', 'only a person knows which image was meant; images are never edited');
    case 'unschedulable':
      return no(
        'needs-person:capacity',
        "the request must become smaller or a node larger; both are a person's decision",
      );
    case 'config-missing':
      return no('needs-person:configuration', 'only a person knows the missing value; configuration is never written');
    case 'crash-application':
      return no('no-safe-action', 'no act of the catalogue repairs what the application itself ends for');
    case 'pod-creation-refused':
      return cause.by === 'quota' || cause.by === 'limit-range'
        ? no(
            'needs-person:capacity',
            'only a person can raise a quota or a limit range, or lower what the pods request',
          )
        : no('needs-person:configuration', 'only a person can change what the API server admits');
    case 'pod-start-held':
      return no('no-safe-action', 'no action of the catalogue provides what the pod waits for');
    case 'pods-not-ready':
      return no('no-safe-action', 'no action of the catalogue repairs why the readiness probe fails');
    case 'unmatched-selector':
      return no('needs-person:configuration', 'only a person knows which pods the Service should select');
    case 'rollout-paused':
      return no('rollout-paused', pausedMessage(cause.paused));
    case 'upstream':
      return no(
        'upstream-cause',
        `the cause is behind Service ${cause.service.name}; acting on its callers repairs nothing`,
      );
    case 'job-failed':
      return stuckJob(cause);
    case 'node-pressure':
      return no('needs-person:node', 'nodes are not acted upon');
    case 'refuted':
    case 'unknown':
      return no('no-finding', 'no cause was established');
    default:
      return assertNever(cause);
  }
}

/** A paused Deployment takes a new template but rolls nothing out, so every change of its template would change nothing. */
export function pausedMessage({ by, at }: PausedRollout): string {
  const writer = by === undefined ? 'by an unrecorded field manager' : `by field manager ${by}`;
  const since = at === undefined ? '' : ` at ${at}`;
  return `the rollout is paused (spec.paused, set ${writer}${since}), so a change of the pod template takes no effect until it is resumed`;
}

function no(reason: NoPlanReason, message: string): Proposed {
  return { kind: 'none', reason, message };
}

const UNSEEN = 'expected a target that a step observed, found none with a uid';

function pinned(ref: ObjectRef): (ObjectRef & { readonly uid: string }) | undefined {
  return ref.uid === undefined || ref.uid === '' ? undefined : { ...ref, uid: ref.uid };
}

function rollback(cause: Extract<Cause, { kind: 'rollout-change' }>): Proposed {
  const target = pinned(cause.workload);
  if (target === undefined) return no('target-not-observed', UNSEEN);
  return {
    kind: 'action',
    request: {
      type: 'RollbackWorkload',
      workload: cause.workload,
      target,
      params: { fromRevision: cause.revision, toRevision: cause.previousRevision },
    },
  };
}

const MEBIBYTE = 2 ** 20;
/** Room above a stated need. */
const HEADROOM = 1.25;
/** Where no need is stated. One doubling shows whether memory was short at all; more would hide a leak for longer. */
const DOUBLING = 2;

/** The limit that a container gets: its stated need with room, else the double; never above the bounds, in whole MiB. */
export function raisedMemoryLimit(
  limitBytes: number,
  neededBytes: number | undefined,
  bounds: PlanBounds,
): number | undefined {
  const wanted = Math.max(limitBytes * DOUBLING, (neededBytes ?? 0) * HEADROOM);
  const most = Math.min(bounds.memoryMaxBytes, limitBytes * bounds.memoryMaxFactor);
  const raised = Math.floor(Math.min(Math.ceil(wanted / MEBIBYTE) * MEBIBYTE, most) / MEBIBYTE) * MEBIBYTE;
  const least = Math.max(limitBytes + 1, neededBytes ?? 0);
  return raised >= least ? raised : undefined;
}

function raisedLimit(cause: Extract<Cause, { kind: 'memory-limit-too-low' }>, bounds: PlanBounds): Proposed {
  const target = pinned(cause.workload);
  if (target === undefined) return no('target-not-observed', UNSEEN);
  const memoryLimitBytes = raisedMemoryLimit(cause.limitBytes, cause.neededBytes, bounds);
  if (memoryLimitBytes === undefined) {
    return no(
      'out-of-bounds',
      `expected a limit above ${formatMemory(cause.limitBytes)} within the bounds (at most ${formatMemory(bounds.memoryMaxBytes)}, factor ${bounds.memoryMaxFactor}), found none that is enough`,
    );
  }
  return {
    kind: 'action',
    request: {
      type: 'PatchResources',
      workload: cause.workload,
      target,
      params: { container: cause.container, memoryLimitBytes },
    },
  };
}

function restartedPod(cause: Extract<Cause, { kind: 'stale-local-state' }>): Proposed {
  const target = pinned(cause.pod);
  if (target === undefined) return no('target-not-observed', UNSEEN);
  return { kind: 'action', request: { type: 'RestartPod', workload: cause.workload, target, params: {} } };
}

function stuckJob(cause: Extract<Cause, { kind: 'job-failed' }>): Proposed {
  if (cause.detail !== 'stuck') {
    return no(
      'needs-person:application',
      'a job that failed is not run again without a person: it may have done half of its work',
    );
  }
  const target = pinned(cause.job);
  if (target === undefined) return no('target-not-observed', UNSEEN);
  return { kind: 'action', request: { type: 'DeleteStuckJob', workload: cause.workload, target, params: {} } };
}
