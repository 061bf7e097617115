import { undecodable } from '../admission/decode.ts';
import { invalidObject, required } from '../admission/field-error.ts';
import { isRecord, recordAt, textAt } from '../json-at.ts';
import type { KubeObject } from '../object.ts';
import { missingInNewerEvent, toStored } from './event-forms.ts';
import type { Exchange } from './exchange.ts';
import { groupVersion } from './resources.ts';
import { ApiError, badRequest } from './status.ts';

/** The request's body as an object of the type, in the form it is stored in, with the namespace of the path. Throws 400, 422. */
export function incomingObject(exchange: Exchange): KubeObject {
  const { resource, info, body } = exchange;
  if (!isRecord(body))
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): found ${JSON.stringify(body)?.slice(0, 60)}`,
    );
  const kind = textAt(body, 'kind') ?? resource.kind;
  const apiVersion = textAt(body, 'apiVersion') ?? groupVersion(resource);
  if (kind !== resource.kind || apiVersion !== groupVersion(resource)) {
    throw badRequest(
      `${kind} in version "${apiVersion}" cannot be handled as a ${resource.kind}: expected ${groupVersion(resource)}, Kind=${resource.kind}`,
    );
  }
  const fault = undecodable(kind, { ...body, metadata: body.metadata ?? {} });
  if (fault) throw badRequest(`${kind} in version "${resource.version}" cannot be handled as a ${kind}: ${fault}`);
  if (resource.group === 'events.k8s.io') checkNewerEvent(body);
  const namespace = resource.namespaced
    ? { namespace: namespaceOf(exchange, textAt(body, 'metadata', 'namespace')) }
    : {};
  const metadata = { ...recordAt(body, 'metadata'), name: textAt(body, 'metadata', 'name') ?? '', ...namespace };
  if (!resource.namespaced) Reflect.deleteProperty(metadata, 'namespace');
  return toStored(info, { ...body, kind, apiVersion, metadata } as KubeObject);
}

function namespaceOf({ info }: Exchange, given: string | undefined): string {
  if (info.namespace === '')
    throw new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
  if (given !== undefined && given !== '' && given !== info.namespace) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  }
  return info.namespace;
}

function checkNewerEvent(body: Record<string, unknown>): void {
  const missing = missingInNewerEvent(body);
  if (missing.length === 0) return;
  throw invalidObject(
    'Event',
    '',
    textAt(body, 'metadata', 'name') ?? '',
    missing.map((field) => required(field)),
  );
}
