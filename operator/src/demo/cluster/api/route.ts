import { issueAccountToken } from '../access/reviews.ts';
import { recordAt } from '../json-at.ts';
import { bind } from './binding.ts';
import { create, review } from './create.ts';
import { remove } from './delete.ts';
import { evict } from './eviction.ts';
import { type Exchange, type Handler, json } from './exchange.ts';
import { list } from './list.ts';
import { patch, replace, storedObject } from './modify.ts';
import { podLog } from './pod-log.ts';
import { renderObject } from './render.ts';
import type { RequestInfo } from './request-info.ts';
import { type ApiResource, isReview } from './resources.ts';
import { scale } from './scale.ts';
import { ApiError, notImplemented } from './status.ts';

type ByVerb = Readonly<Record<string, Handler>>;

const read: Handler = (exchange) => renderObject(exchange, 200, storedObject(exchange));

const OBJECTS: ByVerb = {
  get: read,
  list,
  watch: (exchange) => {
    exchange.context.watches.serve(exchange);
    return undefined;
  },
  create,
  update: replace,
  patch,
  delete: remove,
};

const SUBRESOURCES: Readonly<Record<string, ByVerb>> = {
  status: { get: read, update: replace, patch },
  scale: { get: scale, update: scale, patch: scale },
  log: { get: podLog },
  binding: { create: bind },
  eviction: { create: evict },
  token: { create: accountToken },
};

const NEEDS_NAME = new Set(['get', 'update', 'patch', 'delete']);

/** What a real API server also has under these names; asked for here, it is said to be missing rather than unknown. */
const NOT_PLAYED = new Set([
  'exec',
  'attach',
  'portforward',
  'proxy',
  'ephemeralcontainers',
  'resize',
  'finalize',
  'approval',
]);

/** The handler for a request to a known type. Throws 404, 405 or 501. */
export function route(resource: ApiResource, info: RequestInfo): Handler {
  if (isReview(resource)) {
    if (info.verb === 'create') return review;
    throw methodNotAllowed();
  }
  if (info.verb === 'deletecollection') throw notImplemented('deleting a collection: delete one by one');
  if (info.subresource === '') {
    if (info.named !== NEEDS_NAME.has(info.verb) && info.verb !== 'watch') throw methodNotAllowed();
    return OBJECTS[info.verb] ?? refuse();
  }
  if (NOT_PLAYED.has(info.subresource)) throw notImplemented(`${resource.resource}/${info.subresource}`);
  if (!resource.subresources.includes(info.subresource)) throw unknownResource();
  return SUBRESOURCES[info.subresource]?.[info.verb] ?? refuse();
}

export function unknownResource(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
}

function refuse(): never {
  throw methodNotAllowed();
}

function methodNotAllowed(): ApiError {
  return new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

function accountToken(exchange: Exchange) {
  const { context, info, body } = exchange;
  storedObject(exchange);
  return json(201, issueAccountToken(context.tokens, recordAt(body), { namespace: info.namespace, name: info.name }));
}
