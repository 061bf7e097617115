import { sameJson } from '../canonical-json.ts';
import type { ImpossibleReason, PlannedWrite, Presence, Readback } from './kind.ts';
import { type RawObject, textAt, valueAt } from './raw-object.ts';
import { type Stamps, stampedWrite, stampOperations } from './stamps.ts';
import type { Inverse, JsonPatchOperation, KubeWrite } from './types.ts';
import { TARGET_RESOURCES } from './workload-resource.ts';

export interface Replacement {
  readonly path: string;
  readonly value: unknown;
}

export function impossible(reason: ImpossibleReason, message: string): PlannedWrite {
  return { kind: 'impossible', reason, message };
}

/** Tests that fail the whole patch unless the object is the very one that was read. */
export function identityTests(object: RawObject): readonly JsonPatchOperation[] | undefined {
  const uid = textAt(object, '/metadata/uid');
  const resourceVersion = textAt(object, '/metadata/resourceVersion');
  if (uid === undefined || resourceVersion === undefined) return undefined;
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
  ];
}

/** Test of the present value and its replacement; a value that is absent cannot be tested, and is added. */
export function replaceOperations(object: RawObject, path: string, value: unknown): readonly JsonPatchOperation[] {
  const present = valueAt(object, path);
  if (present === undefined) return value === undefined ? [] : [{ op: 'add', path, value }];
  const test = { op: 'test', path, value: present } as const;
  return value === undefined ? [test, { op: 'remove', path }] : [test, { op: 'replace', path, value }];
}

/** A stamped patch of a controller's object that replaces whole values. */
export function templatePatch(object: RawObject, replacements: readonly Replacement[], stamps: Stamps): PlannedWrite {
  const kind = textAt(object, '/kind') ?? '';
  const where = TARGET_RESOURCES[kind];
  const tests = identityTests(object);
  const namespace = textAt(object, '/metadata/namespace');
  const name = textAt(object, '/metadata/name');
  if (where === undefined || tests === undefined || namespace === undefined || name === undefined)
    return impossible('malformed-object', `expected a controller with uid and resourceVersion, found \`${kind}\``);
  const patch = [
    ...tests,
    ...replacements.flatMap(({ path, value }) => replaceOperations(object, path, value)),
    ...stampOperations(object, stamps, false),
  ];
  return { kind: 'write', write: { verb: 'patch', ...where, namespace, name, patch } };
}

/** The stored undo of a patch: for each path what the server will hold after it and what it holds now. */
export function inverseOf(object: RawObject, after: RawObject, paths: readonly string[]): Inverse {
  const where = TARGET_RESOURCES[textAt(object, '/kind') ?? ''];
  if (where === undefined) return { kind: 'none', why: 'the target is of a kind that is never patched' };
  return {
    kind: 'replace',
    ...where,
    namespace: textAt(object, '/metadata/namespace') ?? '',
    name: textAt(object, '/metadata/name') ?? '',
    uid: textAt(object, '/metadata/uid') ?? '',
    values: paths.map((path) => ({ path, written: valueAt(after, path), prior: valueAt(object, path) })),
  };
}

export type UndoPlan =
  | { readonly kind: 'write'; readonly write: KubeWrite }
  | {
      readonly kind: 'blocked';
      readonly reason: 'changed-since' | 'target-gone' | 'nothing-to-undo';
      readonly message: string;
    };

/**
 * The undo as one patch on the object as it is now. A value that is no longer the one we wrote blocks it: somebody has decided
 * something since, and overwriting that is the worse failure.
 */
export function undoWrite(inverse: Inverse, present: Presence, stamps: Stamps): UndoPlan {
  if (inverse.kind === 'none') return { kind: 'blocked', reason: 'nothing-to-undo', message: inverse.why };
  if (present.kind === 'gone' || textAt(present.object, '/metadata/uid') !== inverse.uid)
    return { kind: 'blocked', reason: 'target-gone', message: 'the object that was changed no longer exists' };
  const changed = inverse.values.find((value) => !sameJson(valueAt(present.object, value.path), value.written));
  if (changed !== undefined)
    return {
      kind: 'blocked',
      reason: 'changed-since',
      message: `\`${changed.path}\` is no longer what hephaisto wrote; somebody changed it since, so it is left as it is`,
    };
  const tests = identityTests(present.object) ?? [];
  const values = inverse.values.flatMap((value) => replaceOperations(present.object, value.path, value.prior));
  const { apiVersion, resource, subresource, namespace, name } = inverse;
  const where = { apiVersion, resource, namespace, name };
  // A scale subresource has no annotations of its object to stamp.
  if (subresource !== undefined)
    return { kind: 'write', write: { verb: 'patch', ...where, subresource, patch: [...tests, ...values] } };
  const patch = [...tests, ...values, ...stampOperations(present.object, stamps, true)];
  return { kind: 'write', write: { verb: 'patch', ...where, patch } };
}

/** Read-back of a stamped patch. Without our stamp, values that equal ours prove nothing: somebody else may have written them. */
export function patchReadback(
  inverse: Inverse,
  present: Presence,
  actionId: string,
  write: 'action' | 'undo',
): Readback {
  if (present.kind === 'gone' || inverse.kind === 'none')
    return {
      kind: 'inconclusive',
      reason: 'target-gone',
      message: 'the object is gone, so nothing tells whether the call arrived',
    };
  if (textAt(present.object, '/metadata/uid') !== inverse.uid)
    return {
      kind: 'inconclusive',
      reason: 'target-replaced',
      message: 'another object has taken the name since the call',
    };
  const mark = stampedWrite(present.object, actionId);
  if (mark === write)
    return { kind: 'applied', reason: 'stamp-found', message: 'the object carries the stamp of this very call' };
  if (inverse.subresource !== undefined) return unstampedReadback(inverse, present.object, write);
  const before = inverse.values.every((value) =>
    sameJson(valueAt(present.object, value.path), write === 'action' ? value.prior : value.written),
  );
  if (before)
    return {
      kind: 'not_applied',
      reason: 'prior-values',
      message: 'no stamp, and every value is the one from before the call',
    };
  return {
    kind: 'inconclusive',
    reason: 'other-values',
    message: 'no stamp, and the values are neither proof of the call nor of its absence',
  };
}

/** What cannot be stamped is told by its values alone: the wish is fulfilled or it is not, whoever fulfilled it. */
function unstampedReadback(
  inverse: Inverse & { kind: 'replace' },
  object: RawObject,
  write: 'action' | 'undo',
): Readback {
  const holds = (side: 'prior' | 'written'): boolean =>
    inverse.values.every((value) => sameJson(valueAt(object, value.path), value[side]));
  if (holds(write === 'action' ? 'written' : 'prior'))
    return { kind: 'applied', reason: 'values-reached', message: 'every value is the one asked for' };
  if (holds(write === 'action' ? 'prior' : 'written'))
    return { kind: 'not_applied', reason: 'prior-values', message: 'every value is the one from before the call' };
  return {
    kind: 'inconclusive',
    reason: 'other-values',
    message: 'the values are neither those from before nor those asked for',
  };
}
