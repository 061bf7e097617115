import { REVIEW_ANSWERS } from '../access/reviews.ts';
import { listAt, recordAt, textAt } from '../json-at.ts';
import type { KubeObject } from '../object.ts';
import { NAMESPACES, typeKey } from '../type-key.ts';
import { requireValid, storing } from './checked.ts';
import { storedType } from './event-forms.ts';
import { type Answer, type Exchange, json } from './exchange.ts';
import { incomingObject } from './incoming.ts';
import { renderObject } from './render.ts';
import { ApiError, notFound, notImplemented } from './status.ts';

/** Their status is the cluster's to write: one that comes with a new object is dropped. */
const STATUS_DROPPED = new Set([
  'pods',
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'jobs.batch',
  'poddisruptionbudgets.policy',
]);

const SERVICE_ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' };

export function create(exchange: Exchange): Answer {
  const { context, resource, dryRun } = exchange;
  const type = storedType(resource);
  const given = incomingObject(exchange);
  requireNamespace(exchange, given);
  if (typeKey(type) === 'pods') requireAccount(exchange, given);
  const plain = STATUS_DROPPED.has(typeKey(type)) ? withoutStatus(given) : given;
  const object = typeKey(type) === 'nodes' ? notReadyYet(plain) : plain;
  const { name } = object.metadata;
  const planned = storing(exchange, name, () => context.store.preview.create(type, object));
  const unnamed = name === '' && !object.metadata.generateName;
  requireValid(exchange, type, unnamed ? { ...planned, metadata: { ...planned.metadata, name: '' } } : planned);
  if (dryRun) return renderObject(exchange, 201, planned);
  return renderObject(
    exchange,
    201,
    storing(exchange, name, () => context.store.create(type, object)),
  );
}

function requireNamespace({ context }: Exchange, { metadata }: KubeObject): void {
  const { namespace } = metadata;
  if (namespace !== undefined && !context.store.get(NAMESPACES, '', namespace)) throw notFound(NAMESPACES, namespace);
}

function requireAccount({ context }: Exchange, pod: KubeObject): void {
  const { namespace = '', name } = pod.metadata;
  const account = textAt(pod, 'spec', 'serviceAccountName') ?? textAt(pod, 'spec', 'serviceAccount') ?? 'default';
  if (context.store.get(SERVICE_ACCOUNTS, namespace, account)) return;
  const message = `pods "${name}" is forbidden: error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`;
  throw new ApiError(403, 'Forbidden', message, { name, kind: 'pods' });
}

/** Nothing is put on a node before somebody has seen it ready. */
function notReadyYet(node: KubeObject): KubeObject {
  const spec = recordAt(node, 'spec');
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  const others = listAt(spec, 'taints').filter((each) => textAt(each, 'key') !== taint.key);
  return { ...node, spec: { ...spec, taints: [...others, taint] } };
}

function withoutStatus(object: KubeObject): KubeObject {
  const { status: _, ...rest } = object;
  return rest as KubeObject;
}

/** Answers a question sent as an object; nothing is stored. */
export function review(exchange: Exchange): Answer {
  const { context, resource, who, info, body } = exchange;
  const answer = REVIEW_ANSWERS[resource.kind];
  if (!answer) throw notImplemented(`${resource.kind}`);
  const question = {
    kind: resource.kind,
    apiVersion: `${resource.group}/${resource.version}`,
    metadata: {},
    ...recordAt(body),
  };
  return json(201, answer(question, { store: context.store, tokens: context.tokens, who, namespace: info.namespace }));
}
