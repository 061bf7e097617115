import type { KubeObject } from '../object.ts';
import { toServed } from './event-forms.ts';
import type { Answer, Exchange } from './exchange.ts';
import { objectJson } from './serialize.ts';
import { ApiError } from './status.ts';
import { metadataOnly, type Rendering, renderingFor, tableJson } from './tables.ts';

/** What the client accepts. Throws 406 when that cannot be served. */
export function acceptedRendering(exchange: Exchange): Rendering {
  const rendering = renderingFor(exchange.request.headers.accept, exchange.query);
  if (rendering) return rendering;
  throw new ApiError(
    406,
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/json;as=Table;v=v1;g=meta.k8s.io',
  );
}

/** A stored object as the answer to a read or a write of it. */
export function renderObject(exchange: Exchange, code: number, stored: KubeObject): Answer {
  const rendering = acceptedRendering(exchange);
  const object = toServed(exchange.resource, stored);
  if (rendering.kind === 'object') return { code, text: objectJson(object) };
  if (rendering.kind === 'metadata') return { code, text: objectJson(metadataOnly(object)) };
  const source = { type: tableType(exchange), include: rendering.include, now: exchange.context.now() };
  return { code, text: tableJson(source, [stored], { resourceVersion: stored.metadata.resourceVersion }) };
}

/** Both forms of events share the older one's columns, which read the stored form. */
export function tableType(exchange: Exchange): { readonly group: string; readonly resource: string } {
  return exchange.resource.resource === 'events' ? { group: '', resource: 'events' } : exchange.resource;
}
