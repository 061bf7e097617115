import { isIP } from 'node:net';
import { isLoopback } from '@hephaisto/core/config/contradictions';
import type { Config } from '@hephaisto/core/config/schema';

export type OriginVerdict =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly reason: 'host-refused' | 'origin-refused'; readonly message: string };

const ACCEPTED: OriginVerdict = { kind: 'accepted' };

/**
 * Names under which this server answers: a page elsewhere that points its own name at our address is thereby refused. Names without a
 * port are accepted with any.
 */
export function acceptedHosts(server: Config['server'], port: number): ReadonlySet<string> {
  const hosts = new Set(server.allowedHosts);
  if (server.publicUrl !== undefined) hosts.add(new URL(server.publicUrl).host);
  if (isLoopback(server.host)) for (const name of ['127.0.0.1', 'localhost', '[::1]']) hosts.add(`${name}:${port}`);
  return hosts;
}

/** Host headers as they were sent. The HTTP parser keeps the first and drops the others, and a proxy before it may have gone by another. */
function hostHeaders(rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.filter((_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host');
}

/** A request with several Host headers means different servers to different readers. */
export function judgeHostCount(rawHeaders: readonly string[]): OriginVerdict {
  const { length } = hostHeaders(rawHeaders);
  if (length <= 1) return ACCEPTED;
  return { kind: 'refused', reason: 'host-refused', message: `expected one Host header, found ${length}` };
}

/**
 * For what a scraper asks by the address of a pod. A page that points its own name at our address still sends its name, so an address is
 * safe to accept.
 */
export function judgeHostOrAddress(host: string | undefined, accepted: ReadonlySet<string>): OriginVerdict {
  const name = (host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return isIP(name) === 0 ? judgeHost(host, accepted) : ACCEPTED;
}

export function judgeHost(host: string | undefined, accepted: ReadonlySet<string>): OriginVerdict {
  if (host !== undefined && (accepted.has(host) || accepted.has(host.replace(/:\d+$/, '')))) return ACCEPTED;
  return {
    kind: 'refused',
    reason: 'host-refused',
    message: `expected a Host header with a name of this server, found \`${host ?? ''}\`; add it to server.allowedHosts if it is right`,
  };
}

export interface BrowserHeaders {
  readonly origin: string | undefined;
  readonly host: string | undefined;
  /** `Sec-Fetch-Site`, which a page cannot forge. */
  readonly fetchSite: string | undefined;
}

/**
 * Whether a request that a browser sends with our cookie was sent by our own page. Programs send neither header and are let through here;
 * they cannot be made to carry somebody else's cookie.
 */
export function judgeOrigin(headers: BrowserHeaders): OriginVerdict {
  if (headers.fetchSite !== undefined && !['same-origin', 'none'].includes(headers.fetchSite))
    return refusedOrigin(headers.fetchSite);
  if (headers.origin === undefined) return ACCEPTED;
  const parsed = URL.parse(headers.origin);
  if (parsed !== null && ['http:', 'https:'].includes(parsed.protocol) && parsed.host === headers.host) return ACCEPTED;
  return refusedOrigin(headers.origin);
}

function refusedOrigin(found: string): OriginVerdict {
  return {
    kind: 'refused',
    reason: 'origin-refused',
    message: `expected a request of this server’s own page, found one from \`${found}\``,
  };
}
