/** What a request asks for, read off its method, path and query alone, as authorization needs it before anything is looked up. */
export interface RequestInfo {
  readonly verb: string;
  readonly path: string;
  readonly isResource: boolean;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The name stands in the path, rather than in a field selector. */
  readonly named: boolean;
}

const VERB_BY_METHOD: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const [root, ...rest] = path.split('/').filter((part) => part !== '');
  const versionParts = root === 'api' ? 1 : root === 'apis' ? 2 : 0;
  if (versionParts === 0 || rest.length <= versionParts) return nonResource(method, path);
  const [group, version] = versionParts === 1 ? ['', rest[0] ?? ''] : [rest[0] ?? '', rest[1] ?? ''];
  const target = parseTarget(rest.slice(versionParts).map(decodePart));
  const verb = verbOf(method, target.name !== '', query);
  const selected = target.name === '' && (verb === 'list' || verb === 'watch') ? selectedName(query) : '';
  return {
    verb,
    path,
    isResource: true,
    group,
    version,
    ...target,
    name: target.name || selected,
    named: target.name !== '',
  };
}

function nonResource(method: string, path: string): RequestInfo {
  const none = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '', named: false };
  return { verb: method === 'HEAD' ? 'get' : method.toLowerCase(), path, isResource: false, ...none };
}

function parseTarget(parts: readonly string[]) {
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = parts;
  if (first !== 'namespaces') return { resource: first, namespace: '', name: second, subresource: third };
  // A namespace is itself namespaced for authorization: who may read a namespace's content by a Role may be let read it too.
  const ownSubresource = third === 'status' || third === 'finalize';
  if (second === '' || third === '' || ownSubresource) {
    return { resource: first, namespace: second, name: second, subresource: third };
  }
  return { resource: third, namespace: second, name: fourth, subresource: fifth };
}

function verbOf(method: string, named: boolean, query: URLSearchParams): string {
  if (method === 'DELETE') return named ? 'delete' : 'deletecollection';
  const write = VERB_BY_METHOD[method];
  if (write) return write;
  if (isTrue(query.get('watch'))) return 'watch';
  return named ? 'get' : 'list';
}

export function isTrue(value: string | null): boolean {
  return value === 'true' || value === '1';
}

function selectedName(query: URLSearchParams): string {
  return /^metadata\.name==?([^,!=]+)$/.exec(query.get('fieldSelector') ?? '')?.[1] ?? '';
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
