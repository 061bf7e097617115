import { undecodable } from '../admission/decode.ts';
import { invalid, invalidObject } from '../admission/field-error.ts';
import { isRecord, type Json, textAt } from '../json-at.ts';
import type { KubeObject } from '../object.ts';
import { requireValid, storing } from './checked.ts';
import { create } from './create.ts';
import { storedType, toServed, toStored } from './event-forms.ts';
import type { Answer, Exchange } from './exchange.ts';
import { incomingObject } from './incoming.ts';
import { applyJsonPatch, applyMergePatch, JSON_PATCH, MERGE_PATCH, requirePatchType } from './json-patch.ts';
import { PATCH_TYPES } from './patch-types.ts';
import { renderObject } from './render.ts';
import { badRequest, notFound, notImplemented } from './status.ts';
import { applyStrategicMerge, STRATEGIC_MERGE_PATCH } from './strategic-merge.ts';

const APPLY = {
  [JSON_PATCH]: applyJsonPatch,
  [MERGE_PATCH]: applyMergePatch,
  [STRATEGIC_MERGE_PATCH]: applyStrategicMerge,
} as const;

const CREATED_BY_PUT = new Set(['leases']);

/** PUT: of a status, or of the few types whose readers rewrite them whole. */
export function replace(exchange: Exchange): Answer {
  const { resource, info } = exchange;
  if (info.subresource === '' && !resource.replaceable) {
    throw notImplemented(`PUT of ${resource.resource}: send a JSON Patch`);
  }
  const incoming = incomingObject(exchange);
  const { resourceVersion } = incoming.metadata;
  if (CREATED_BY_PUT.has(resource.resource) && !resourceVersion && info.subresource === '' && !isStored(exchange)) {
    return create(exchange);
  }
  storedObject(exchange);
  return write(exchange, incoming);
}

/** PATCH: JSON Patch, whose `test` operations make the change conditional, and the two merges that kubectl sends. */
export function patch(exchange: Exchange): Answer {
  const { resource, request, body, info } = exchange;
  const type = requirePatchType(request.headers['content-type'], PATCH_TYPES);
  const stored = storedObject(exchange);
  const changed = APPLY[type](toServed(resource, stored) as Json, body);
  const fault = isRecord(changed) ? undecodable(resource.kind, changed) : 'the patched object is no object';
  if (fault) {
    throw invalidObject('', '', '', [invalid('patch', JSON.stringify(changed), fault)]);
  }
  const uid = textAt(changed, 'metadata', 'uid');
  if (uid && uid !== stored.metadata.uid) {
    const immutable = invalid('metadata.uid', uid, 'field is immutable');
    throw invalidObject(resource.kind, resource.group, info.name, [immutable, immutable]);
  }
  return write(exchange, toStored(resource, changed as unknown as KubeObject));
}

function isStored({ context, resource, info }: Exchange): boolean {
  return context.store.get(storedType(resource), resource.namespaced ? info.namespace : '', info.name) !== undefined;
}

export function storedObject({ context, resource, info }: Exchange): KubeObject {
  const stored = context.store.get(storedType(resource), resource.namespaced ? info.namespace : '', info.name);
  if (!stored) throw notFound(resource, info.name);
  return stored;
}

function write(exchange: Exchange, object: KubeObject): Answer {
  const { context, resource, info, dryRun } = exchange;
  const name = textAt(object, 'metadata', 'name') ?? '';
  if (name !== info.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
  }
  if (resource.namespaced && object.metadata.namespace !== info.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const type = storedType(resource);
  const part = info.subresource === 'status' ? 'status' : 'main';
  const stored = storedObject(exchange);
  const planned = storing(exchange, name, () => context.store.preview.update(type, object, part));
  if (part === 'main') requireValid(exchange, type, planned, stored);
  if (dryRun) return renderObject(exchange, 200, planned);
  return renderObject(
    exchange,
    200,
    storing(exchange, name, () => context.store.update(type, object, part)),
  );
}
