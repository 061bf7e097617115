import { undecodable } from '../admission/decode.ts';
import { invalid, invalidObject } from '../admission/field-error.ts';
import { isRecord, type Json, textAt } from '../json-at.ts';
import type { KubeObject } from '../object.ts';
import { requireValid, storing } from './checked.ts';
import { storedType, toServed, toStored } from './event-forms.ts';
import type { Answer, Exchange } from './exchange.ts';
import { incomingObject } from './incoming.ts';
import { applyJsonPatch, JSON_PATCH, requirePatchType } from './json-patch.ts';
import { renderObject } from './render.ts';
import { badRequest, notFound, notImplemented } from './status.ts';

/** PUT: of a status, or of the few types whose readers rewrite them whole. */
export function replace(exchange: Exchange): Answer {
  const { resource, info } = exchange;
  if (info.subresource === '' && !resource.replaceable) {
    throw notImplemented(`PUT of ${resource.resource}: send a JSON Patch`);
  }
  storedObject(exchange);
  return write(exchange, incomingObject(exchange));
}

/** PATCH: JSON Patch only, whose `test` operations make the change conditional. */
export function patch(exchange: Exchange): Answer {
  const { resource, request, body } = exchange;
  requirePatchType(request.headers['content-type'], [JSON_PATCH]);
  const stored = storedObject(exchange);
  const changed = applyJsonPatch(toServed(resource, stored) as Json, body);
  const fault = isRecord(changed) ? undecodable(resource.kind, changed) : 'the patched object is no object';
  if (fault) {
    throw invalidObject('', '', '', [invalid('patch', JSON.stringify(changed), fault)]);
  }
  return write(exchange, toStored(resource, changed as unknown as KubeObject));
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
    throw badRequest(
      `the namespace of the object (${object.metadata.namespace}) does not match the namespace on the URL (${info.namespace})`,
    );
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
