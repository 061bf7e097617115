import type { ConditionFact, OwnerFact } from './facts.ts';
import { given, instantAt, type Raw, recordAt, recordsAt, stringMapAt, textAt } from './raw.ts';

export const EPOCH: Date = new Date(0);

/** What every object carries. An absent creation time reads as the epoch, which no rule takes for recent. */
export function projectMeta(object: Raw): {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly owners: readonly OwnerFact[];
  readonly createdAt: Date;
} {
  const meta = recordAt(object, 'metadata');
  return {
    namespace: textAt(meta, 'namespace') ?? '',
    name: textAt(meta, 'name') ?? '',
    uid: textAt(meta, 'uid') ?? '',
    resourceVersion: textAt(meta, 'resourceVersion') ?? '',
    labels: stringMapAt(meta, 'labels'),
    annotations: stringMapAt(meta, 'annotations'),
    owners: recordsAt(meta, 'ownerReferences').map(projectOwner),
    createdAt: instantAt(meta, 'creationTimestamp') ?? EPOCH,
  };
}

function projectOwner(owner: Raw): OwnerFact {
  return {
    apiVersion: textAt(owner, 'apiVersion') ?? '',
    kind: textAt(owner, 'kind') ?? '',
    name: textAt(owner, 'name') ?? '',
    uid: textAt(owner, 'uid') ?? '',
    controller: owner.controller === true,
  };
}

/** `status.conditions` of any kind. */
export function projectConditions(object: Raw): readonly ConditionFact[] {
  return recordsAt(recordAt(object, 'status'), 'conditions').map((condition) => ({
    type: textAt(condition, 'type') ?? '',
    status: textAt(condition, 'status') ?? 'Unknown',
    ...given('reason', textAt(condition, 'reason')),
    ...given('message', textAt(condition, 'message')),
    ...given('since', instantAt(condition, 'lastTransitionTime')),
  }));
}
