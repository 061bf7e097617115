import { undecodable } from '../admission/decode.ts';
import { type FieldError, invalid, invalidObject, required } from '../admission/field-error.ts';
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
    const version = apiVersion.split('/').at(-1) ?? '';
    const why =
      apiVersion === groupVersion(resource)
        ? `converting (${version}.${kind}) to (${resource.group.split('.')[0] || 'core'}.${resource.kind}): unknown conversion`
        : `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${resource.kind}: ${why}`);
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

const REPORTER = /^([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const REPORTER_DETAIL =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const MOST_NOTE = 1024;

function checkNewerEvent(body: Record<string, unknown>): void {
  const errors = [...missingInNewerEvent(body).map((field) => required(field)), ...newerEventErrors(body)];
  if (errors.length > 0) throw invalidObject('Event', '', textAt(body, 'metadata', 'name') ?? '', errors);
}

function newerEventErrors(body: Record<string, unknown>): readonly FieldError[] {
  const { reportingController = '', type, note = '' } = body;
  const reporter = String(reportingController);
  const unnamed = invalid('reportingController', reporter, 'name part must be non-empty');
  return [
    ...(reporter === '' ? [unnamed] : []),
    ...(REPORTER.test(reporter) ? [] : [invalid('reportingController', reporter, REPORTER_DETAIL)]),
    ...(type === undefined || type === 'Normal' || type === 'Warning'
      ? []
      : [invalid('type', '', `has invalid value: ${type}`)]),
    ...(String(note).length > MOST_NOTE ? [invalid('message', '', `can have at most ${MOST_NOTE} characters`)] : []),
  ];
}
