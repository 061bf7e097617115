import type { Ids } from '@hephaisto/core/ports/clock';
import { forbiddenField, invalidObject, unsupported } from '../admission/field-error.ts';
import { numberAt, textAt } from '../json-at.ts';
import type { KubeObject } from '../object.ts';
import { storedType, toServed } from './event-forms.ts';
import type { Answer, Exchange, ListPages, Snapshot } from './exchange.ts';
import { acceptedRendering, tableType } from './render.ts';
import { groupVersion } from './resources.ts';
import { selectionOf } from './selection.ts';
import { itemJson, objectJson } from './serialize.ts';
import { badRequest, expired, tooLargeRevision } from './status.ts';
import { metadataOnly, tableJson } from './tables.ts';

const KEPT_PAGES = 64;

export function createListPages(ids: Ids): ListPages {
  const pages = new Map<string, Snapshot>();
  return {
    keep(snapshot) {
      const token = tokenText({ rv: snapshot.revision, start: keyOf(snapshot.rest[0]), id: ids.uuid() });
      pages.set(token, snapshot);
      const [oldest] = pages.keys();
      if (pages.size > KEPT_PAGES && oldest !== undefined) pages.delete(oldest);
      return token;
    },
    take: (token) => pages.get(token),
    clear: () => pages.clear(),
  };
}

interface Token {
  /** -1 for one that goes on in the collection as it is now. */
  readonly rv: number;
  /** The first object that was not shown yet. */
  readonly start: string;
  readonly id?: string;
}

function tokenText(token: Token): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', ...token })).toString('base64url');
}

function keyOf(object: KubeObject | undefined): string {
  return `${object?.metadata.namespace ?? ''}\u0000${object?.metadata.name ?? ''}`;
}

export function list(exchange: Exchange): Answer {
  const { context, query } = exchange;
  const limit = Number(query.get('limit') ?? '0');
  if (!Number.isInteger(limit) || limit < 0)
    throw badRequest(`strconv.ParseInt: parsing "${query.get('limit')}": invalid syntax`);
  const snapshot = snapshotFor(exchange);
  const page = limit > 0 ? snapshot.rest.slice(0, limit) : snapshot.rest;
  const rest = snapshot.rest.slice(page.length);
  const more = rest.length > 0 ? { continue: context.pages.keep({ ...snapshot, rest }) } : {};
  const remaining = rest.length > 0 && !snapshot.selective ? { remainingItemCount: rest.length } : {};
  return render(exchange, page, { resourceVersion: String(snapshot.revision), ...more, ...remaining });
}

function snapshotFor(exchange: Exchange): Snapshot {
  const { context, query } = exchange;
  const token = query.get('continue');
  if (token) {
    const kept = context.pages.take(token);
    if (kept) return kept;
    const from = readToken(token);
    if (from === undefined) throw badRequest('invalid continue token: continue key is not valid');
    if (from.rv !== -1) throw expired(TOO_OLD_PAGE, tokenText({ rv: -1, start: from.start }));
    const now = wholeSnapshot(exchange);
    return { ...now, rest: now.rest.filter((object) => keyOf(object) >= from.start) };
  }
  checkRevision(exchange);
  return wholeSnapshot(exchange);
}

const TOO_OLD_PAGE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

function wholeSnapshot(exchange: Exchange): Snapshot {
  const { context, resource, info } = exchange;
  const selection = selectionOf(exchange);
  const namespace = resource.namespaced && info.namespace !== '' ? info.namespace : undefined;
  const rest = context.store.list(storedType(resource), namespace).filter(selection.test);
  return { revision: context.store.revision(), rest, selective: selection.selective };
}

function readToken(token: string): Token | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    const [rv, start] = [numberAt(read, 'rv'), textAt(read, 'start')];
    return rv === undefined || start === undefined ? undefined : { rv, start };
  } catch {
    return undefined;
  }
}

/** Only the newest state can be listed: an exact older one is gone, one that has not been is refused. */
function checkRevision({ context, query }: Exchange): void {
  const asked = query.get('resourceVersion') ?? '';
  checkMatch(query.get('resourceVersionMatch') ?? '', asked);
  if (asked === '' || asked === '0') return;
  const wanted = Number(asked);
  if (!Number.isInteger(wanted)) throw badRequest(`invalid resource version: ${unparsable(asked)}`);
  const current = context.store.revision();
  if (wanted > current) throw tooLargeRevision(wanted, current);
  if (query.get('resourceVersionMatch') === 'Exact' && wanted !== current) {
    throw expired('The resourceVersion for the provided list is too old.');
  }
}

const MATCHES = ['Exact', 'NotOlderThan'];

function checkMatch(match: string, revision: string): void {
  if (match === '') return;
  const errors = [
    ...(revision === ''
      ? [forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided')]
      : []),
    ...(MATCHES.includes(match) ? [] : [unsupported('resourceVersionMatch', match, [...MATCHES, ''])]),
  ];
  if (errors.length > 0) throw invalidObject('ListOptions', 'meta.k8s.io', '', errors);
}

export function unparsable(revision: string): string {
  return `resourceVersion: Invalid value: "${revision}": strconv.ParseUint: parsing "${revision}": invalid syntax`;
}

function render(exchange: Exchange, page: readonly KubeObject[], metadata: Record<string, unknown>): Answer {
  const { resource, context } = exchange;
  const rendering = acceptedRendering(exchange);
  if (rendering.kind === 'table') {
    const source = { type: tableType(exchange), include: rendering.include, now: context.now() };
    return { code: 200, text: tableJson(source, page, metadata) };
  }
  const partial = rendering.kind === 'metadata';
  const kind = partial ? 'PartialObjectMetadataList' : `${resource.kind}List`;
  const apiVersion = partial ? 'meta.k8s.io/v1' : groupVersion(resource);
  const items = page.map((object) =>
    partial ? objectJson(metadataOnly(object)) : itemJson(toServed(resource, object)),
  );
  const head = JSON.stringify({ kind, apiVersion, metadata }).slice(0, -1);
  return { code: 200, text: `${head},"items":[${items.join(',')}]}` };
}
