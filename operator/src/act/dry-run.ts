import { planInverse, planWrite } from '@hephaisto/core/action/catalogue';
import type { ImpossibleReason } from '@hephaisto/core/action/kind';
import { textAt } from '@hephaisto/core/action/raw-object';
import { removalChange } from '@hephaisto/core/action/rollback-workload/stuck-pods';
import { type SpecChange, specDiff } from '@hephaisto/core/action/spec-diff';
import type { Stamps } from '@hephaisto/core/action/stamps';
import type { Inverse, KubeWrite } from '@hephaisto/core/action/types';
import { TARGET_RESOURCES } from '@hephaisto/core/action/workload-resource';
import type { Sql } from '@hephaisto/core/ports/database';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import type { ActionRow } from './action-row.ts';
import { abandonDryRun, isPassing, settleAttempt, startAttempt } from './attempts.ts';
import type { ActingDeps } from './deps.ts';
import type { Judgement } from './judge.ts';
import type { HeldLease } from './under-lease.ts';

/** What the server says it would do. `settle` closes the attempt's row; it belongs into the transaction that acts on the answer. */
export type DryRun =
  | {
      readonly kind: 'accepted';
      readonly write: KubeWrite;
      readonly inverse: Inverse;
      readonly diff: readonly SpecChange[];
      readonly settle: (tx: Sql) => Promise<void>;
    }
  /** The object moved between the read and the call. */
  | { readonly kind: 'moved'; readonly message: string; readonly settle: (tx: Sql) => Promise<void> }
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly passing: boolean;
      readonly settle: (tx: Sql) => Promise<void>;
    }
  /** No request can be built on the object as it is. */
  | { readonly kind: 'impossible'; readonly reason: ImpossibleReason | 'target-unreadable'; readonly message: string };

/** Asks the server for the exact call with `dryRun=All`. The attempt is committed before the call, like any other. */
export async function dryRun(
  deps: ActingDeps,
  held: HeldLease,
  action: ActionRow,
  judged: Judgement,
  stamps: Stamps,
  point: 'admit' | 'act',
): Promise<DryRun> {
  if (!judged.facts.target.known)
    return { kind: 'impossible', reason: 'target-unreadable', message: judged.facts.target.why };
  const fresh = judged.facts.target.value;
  const planned = planWrite(judged.request, fresh, stamps);
  if (planned.kind === 'impossible') return planned;
  const { write } = planned;
  const attempt = await deps.db.transaction(async (tx) => {
    await deps.requireEpoch(tx, held.lease);
    await abandonDryRun(tx, action.id);
    const { epoch } = held.lease;
    const { gates } = judged.decision;
    return await startAttempt(tx, { id: deps.ids.uuid(), actionId: action.id, phase: 'dry_run', epoch, write, gates });
  });
  await deps.faults.hit(`${point}:dry-run-started`);
  const answer = await deps.writer.send(write, { dryRun: true });
  await deps.faults.hit(`${point}:dry-run-sent`);
  if (answer.kind === 'ok') {
    const after = write.verb !== 'patch' || write.subresource !== undefined ? fresh.object : answer.value;
    return {
      kind: 'accepted',
      write,
      inverse: planInverse(judged.request, fresh, after),
      diff: [
        ...(write.verb !== 'patch' ? removal(write) : scaleOrSpecDiff(write, fresh.object, after)),
        ...judged.facts.removes.map(removalChange),
      ],
      settle: (tx) =>
        settleAttempt(tx, attempt.id, 'succeeded', { status: 200, message: 'the server would accept it' }),
    };
  }
  const settle = (tx: Sql): Promise<void> =>
    settleAttempt(tx, attempt.id, answer.status === undefined ? 'failed' : 'rejected', answer);
  if (await movedSince(deps, judged, answer)) return { kind: 'moved', message: answer.message, settle };
  return { kind: 'refused', message: answer.message, passing: isPassing(answer), settle };
}

/**
 * Whether a refusal came from a precondition and not from the change itself: the server says the same of both, so the object is read
 * again.
 */
export async function movedSince(
  deps: Pick<ActingDeps, 'reader'>,
  { request, facts }: Judgement,
  failure: KubeFailure,
): Promise<boolean> {
  if (failure.reason !== 'invalid' && failure.reason !== 'conflict') return false;
  const where = TARGET_RESOURCES[request.target.kind];
  if (where === undefined || !facts.target.known) return false;
  const now = await deps.reader.object(where.apiVersion, where.resource, request.target.namespace, request.target.name);
  if (now.kind === 'failure') return now.reason === 'not-found';
  const was = facts.target.value.object;
  return ['/metadata/uid', '/metadata/resourceVersion'].some((path) => textAt(now.value, path) !== textAt(was, path));
}

function removal(write: KubeWrite): readonly SpecChange[] {
  const to = write.verb === 'evict' ? 'evicted' : 'deleted';
  return [{ path: `${write.resource}/${write.name}`, from: 'present', to }];
}

function scaleOrSpecDiff(
  write: KubeWrite,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly SpecChange[] {
  if (write.verb !== 'patch' || write.subresource === undefined) return specDiff(before, after);
  const replaced = write.patch.find((operation) => operation.op === 'replace');
  const tested = write.patch.find((operation) => operation.op === 'test' && operation.path === replaced?.path);
  return [{ path: 'spec.replicas', from: tested?.value, to: replaced?.value }];
}
