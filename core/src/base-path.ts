/**
 * The address of `path` below a base address. The base keeps its own path, host and query: a server behind a path prefix is reached there.
 * `new URL(path, base)` would drop that prefix. Throws a TypeError when `base` is no URL.
 */
export function joinBasePath(base: string, path: string): URL {
  const url = new URL(base);
  const [way = '', query] = splitOnce(path, '?');
  url.pathname = `${url.pathname.replace(/\/{1,16}$/, '')}/${way.replace(/^\/+/, '')}`;
  if (query !== undefined) url.search = [url.search.slice(1), query].filter((part) => part !== '').join('&');
  url.hash = '';
  return url;
}

function splitOnce(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
