import { numberAt, recordAt, textAt } from '../json-at.ts';
import type { RemoveOptions } from '../store.ts';
import { storing } from './checked.ts';
import { storedType } from './event-forms.ts';
import { type Answer, type Exchange, succeeded } from './exchange.ts';
import { storedObject } from './modify.ts';
import { renderObject } from './render.ts';
import { badRequest } from './status.ts';

/** DELETE with its preconditions, grace and propagation, from the body or the query. */
export function remove(exchange: Exchange): Answer {
  const { context, resource, info, dryRun } = exchange;
  const type = storedType(resource);
  const namespace = resource.namespaced ? info.namespace : '';
  const before = storedObject(exchange);
  const how = removeOptions(exchange.body, exchange.query);
  const store = dryRun ? context.store.preview : context.store;
  storing(exchange, info.name, () => store.remove(type, namespace, info.name, how));
  const after = context.store.get(type, namespace, info.name);
  // Pods are shown as they are while they leave; of the rest only that they are gone.
  if (resource.resource === 'pods' || (after && after.metadata.uid === before.metadata.uid && !dryRun)) {
    return renderObject(exchange, 200, after ?? before);
  }
  const { group } = resource;
  return succeeded(200, {
    name: info.name,
    ...(group ? { group } : {}),
    kind: resource.resource,
    uid: before.metadata.uid,
  });
}

export function removeOptions(body: unknown, query: URLSearchParams): RemoveOptions {
  const uid = textAt(body, 'preconditions', 'uid');
  const resourceVersion = textAt(body, 'preconditions', 'resourceVersion');
  const grace = numberAt(body, 'gracePeriodSeconds') ?? numberIn(query, 'gracePeriodSeconds');
  const propagation = textAt(body, 'propagationPolicy') ?? query.get('propagationPolicy') ?? 'Background';
  if (propagation !== 'Background' && propagation !== 'Foreground' && propagation !== 'Orphan') {
    throw badRequest(
      `propagationPolicy: Unsupported value: "${propagation}": supported values: "Foreground", "Background", "Orphan", "nil"`,
    );
  }
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace, ...(grace === 0 ? { force: true } : {}) }),
    propagation,
  };
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text === null || text === '' ? undefined : Number(text);
}

/** `dryRun` may stand in the query or in the body of a delete; only `All` is known. */
export function readDryRun(body: unknown, query: URLSearchParams): boolean {
  const asked = [...query.getAll('dryRun'), ...dryRunsIn(body)].filter((value) => value !== '');
  const wrong = asked.find((value) => value !== 'All');
  if (wrong !== undefined) throw badRequest(`dryRun: Unsupported value: "${wrong}": supported values: "All"`);
  return asked.length > 0;
}

function dryRunsIn(body: unknown): readonly string[] {
  const kind = textAt(body, 'kind');
  const options =
    kind === 'Eviction' ? recordAt(body, 'deleteOptions') : kind === 'DeleteOptions' ? recordAt(body) : {};
  return Array.isArray(options.dryRun) ? options.dryRun.map(String) : [];
}
