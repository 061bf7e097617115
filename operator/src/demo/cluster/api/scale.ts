import { undecodable } from '../admission/decode.ts';
import { invalid, invalidObject } from '../admission/field-error.ts';
import { isRecord, type Json, numberAt, recordAt, textAt } from '../json-at.ts';
import type { KubeObject } from '../object.ts';
import { storing } from './checked.ts';
import { type Answer, type Exchange, json } from './exchange.ts';
import { applyJsonPatch, applyMergePatch, JSON_PATCH, MERGE_PATCH, requirePatchType } from './json-patch.ts';
import { storedObject } from './modify.ts';
import { labelSelectorText } from './selectors.ts';
import { badRequest, conflict, notImplemented } from './status.ts';

/** `/scale` of a workload: its count of replicas as an object of its own, with the workload's resourceVersion. */
export function scale(exchange: Exchange): Answer {
  const workload = storedObject(exchange);
  const current = scaleOf(workload);
  switch (exchange.info.verb) {
    case 'get':
      return json(200, current);
    case 'update':
      return write(exchange, workload, exchange.body);
    case 'patch':
      return write(exchange, workload, patched(exchange, current));
    default:
      throw notImplemented(`${exchange.info.verb} of scale`);
  }
}

function patched({ request, body }: Exchange, current: Json): unknown {
  const type = requirePatchType(request.headers['content-type'], [JSON_PATCH, MERGE_PATCH]);
  return type === JSON_PATCH ? applyJsonPatch(current, body) : applyMergePatch(current, body);
}

function write(exchange: Exchange, workload: KubeObject, wanted: unknown): Answer {
  const { context, resource, dryRun } = exchange;
  const { name, resourceVersion, uid } = workload.metadata;
  if (!isRecord(wanted) || undecodable('Scale', wanted))
    throw badRequest('Scale in version "v1" cannot be handled as a Scale');
  const replicas = numberAt(wanted, 'spec', 'replicas') ?? 0;
  if (replicas < 0) {
    throw invalidObject('Scale', 'autoscaling', name, [
      invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  }
  const given = recordAt(wanted, 'metadata');
  if ((textAt(given, 'resourceVersion') || resourceVersion) !== resourceVersion) {
    throw conflict(
      resource,
      name,
      'the object has been modified; please apply your changes to the latest version and try again',
    );
  }
  if ((textAt(given, 'uid') || uid) !== uid) {
    throw conflict(
      resource,
      name,
      `Precondition failed: UID in precondition: ${textAt(given, 'uid')}, UID in object meta: ${uid}`,
    );
  }
  const scaled = { ...workload, spec: { ...recordAt(workload, 'spec'), replicas } };
  const store = dryRun ? context.store.preview : context.store;
  return json(200, scaleOf(storing(exchange, name, () => store.update(resource, scaled))));
}

function scaleOf(workload: KubeObject): Json {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = workload.metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    // None at all are left out, as a number's zero is on the wire.
    spec: numberAt(workload, 'spec', 'replicas') ? { replicas: numberAt(workload, 'spec', 'replicas') } : {},
    status: {
      replicas: numberAt(workload, 'status', 'replicas') ?? 0,
      selector: labelSelectorText(recordAt(workload, 'spec').selector),
    },
  };
}
