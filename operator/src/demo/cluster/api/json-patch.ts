import { applyPatch, type Operation } from 'rfc6902';
import { at, isRecord, type Json } from '../json-at.ts';
import { ApiError, badRequest, unsupportedMediaType } from './status.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';

const OPERATIONS = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);
const MOST_OPERATIONS = 10_000;

export function requirePatchType<T extends string>(contentType: string | undefined, accepted: readonly T[]): T {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const found = accepted.find((each) => each === type);
  if (found === undefined) throw unsupportedMediaType(accepted);
  return found;
}

/** A changed copy of the document. Throws BadRequest for what is no JSON Patch, Invalid (422) when an operation or a `test` fails. */
export function applyJsonPatch(document: Json, patch: unknown): Json {
  const operations = parseOperations(patch);
  const changed = structuredClone(document);
  for (const operation of operations) {
    // A field that is not there equals null, as it does for the API server.
    const missing = isMissingField(changed, operation.path);
    if (operation.op === 'test' && operation.value === null && missing) continue;
    // And a replacement of it adds it, which the standard would refuse.
    const applied = operation.op === 'replace' && missing ? { ...operation, op: 'add' as const } : operation;
    const [failure] = applyPatch(changed, [structuredClone(applied)]);
    if (failure) throw rejected();
  }
  return changed;
}

/** RFC 7396. */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const changed: Json = isRecord(document) ? { ...document } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete changed[key];
    else changed[key] = applyMergePatch(changed[key], value);
  }
  return changed;
}

function parseOperations(patch: unknown): readonly Operation[] {
  if (!Array.isArray(patch))
    throw badRequest(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    );
  if (patch.length > MOST_OPERATIONS) {
    throw new ApiError(
      413,
      'RequestEntityTooLarge',
      `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${patch.length}`,
    );
  }
  for (const operation of patch) {
    const known = isRecord(operation) && OPERATIONS.has(String(operation.op)) && typeof operation.path === 'string';
    if (!known) throw rejected();
  }
  return patch as Operation[];
}

/** The object that would hold the field is there, the field is not. */
function isMissingField(document: Json, pointer: string): boolean {
  const steps = pointer.split('/').slice(1);
  const path = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return path.length > 0 && isRecord(at(document, ...path.slice(0, -1))) && at(document, ...path) === undefined;
}

function rejected(): ApiError {
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}
