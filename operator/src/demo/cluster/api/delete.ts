import { type FieldError, invalidObject, unsupported } from '../admission/field-error.ts';
import { numberAt, recordAt, textAt } from '../json-at.ts';
import type { KubeObject } from '../object.ts';
import { kubeTime } from '../object-meta.ts';
import type { RemoveOptions } from '../store.ts';
import { storing } from './checked.ts';
import { storedType } from './event-forms.ts';
import { type Answer, type Exchange, succeeded } from './exchange.ts';
import { storedObject } from './modify.ts';
import { renderObject } from './render.ts';
import type { ApiResource } from './resources.ts';
import { type ApiError, conflict } from './status.ts';

/** DELETE with its preconditions, grace and propagation, from the body or the query. */
export function remove(exchange: Exchange): Answer {
  const { context, resource, info, dryRun } = exchange;
  const type = storedType(resource);
  const namespace = resource.namespaced ? info.namespace : '';
  const before = storedObject(exchange);
  const how = removeOptions(exchange.body, exchange.query);
  requirePreconditions(resource, before, how);
  const store = dryRun ? context.store.preview : context.store;
  const last = storing(exchange, info.name, () => store.remove(type, namespace, info.name, how));
  const after = context.store.get(type, namespace, info.name);
  // Pods are shown as they are while they leave; of the rest only that they are gone.
  if (resource.resource === 'pods' || (after && after.metadata.uid === before.metadata.uid && !dryRun)) {
    return renderObject(exchange, 200, dryRun ? last : (after ?? last));
  }
  if (resource.resource === 'services') return renderObject(exchange, 200, last);
  if (resource.resource === 'namespaces') return renderObject(exchange, 200, terminating(before, context.now()));
  const { group } = resource;
  return succeeded(200, {
    name: info.name,
    ...(group ? { group } : {}),
    kind: resource.resource,
    uid: before.metadata.uid,
  });
}

/** The API server names the kind here, and not the resource as everywhere else. Throws 409. */
export function requirePreconditions(resource: ApiResource, { metadata }: KubeObject, how: RemoveOptions): void {
  const kind = { group: resource.group, resource: resource.kind };
  const { name, uid, resourceVersion } = metadata;
  if (how.uid !== undefined && how.uid !== uid) {
    throw conflict(
      kind,
      name,
      `the UID in the precondition (${how.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (how.resourceVersion !== undefined && how.resourceVersion !== resourceVersion) {
    throw conflict(
      kind,
      name,
      `the ResourceVersion in the precondition (${how.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

export function removeOptions(body: unknown, query: URLSearchParams): RemoveOptions {
  const uid = textAt(body, 'preconditions', 'uid');
  const resourceVersion = textAt(body, 'preconditions', 'resourceVersion');
  // A body speaks alone: what the query says beside it is not heard, as with a real API server.
  const asked = body === undefined ? query : new URLSearchParams();
  const grace = numberAt(body, 'gracePeriodSeconds') ?? numberIn(asked, 'gracePeriodSeconds');
  const propagation = textAt(body, 'propagationPolicy') ?? asked.get('propagationPolicy') ?? 'Background';
  if (propagation !== 'Background' && propagation !== 'Foreground' && propagation !== 'Orphan') {
    throw wrongOption(
      'DeleteOptions',
      unsupported('propagationPolicy', propagation, ['Foreground', 'Background', 'Orphan', 'nil']),
    );
  }
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace, ...(grace === 0 ? { force: true } : {}) }),
    propagation,
  };
}

function wrongOption(kind: string, error: FieldError): ApiError {
  return invalidObject(kind, 'meta.k8s.io', '', [error]);
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text === null || text === '' ? undefined : Number(text);
}

const OPTIONS: Readonly<Record<string, string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
};

/**
 * `dryRun` stands in the query; of a delete with a body it stands in the body, and the query is not heard: `DELETE …?dryRun=All` with
 * a body is a real delete. Only `All` is known. Throws 422.
 */
export function readDryRun(verb: string, body: unknown, query: URLSearchParams): boolean {
  const inQuery = verb === 'delete' && body !== undefined ? [] : query.getAll('dryRun');
  const asked = [...inQuery, ...dryRunsIn(verb, body)].filter((value) => value !== '');
  const wrong = asked.find((value) => value !== 'All');
  if (wrong !== undefined) throw wrongOption(OPTIONS[verb] ?? 'DeleteOptions', unsupported('dryRun', [wrong], ['All']));
  return asked.length > 0;
}

function terminating(namespace: KubeObject, now: Date): KubeObject {
  const metadata = { ...namespace.metadata, deletionTimestamp: kubeTime(now) };
  return { ...namespace, metadata, status: { ...recordAt(namespace, 'status'), phase: 'Terminating' } };
}

function dryRunsIn(verb: string, body: unknown): readonly string[] {
  const options =
    textAt(body, 'kind') === 'Eviction' ? recordAt(body, 'deleteOptions') : verb === 'delete' ? recordAt(body) : {};
  return Array.isArray(options.dryRun) ? options.dryRun.map(String) : [];
}
