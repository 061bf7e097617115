import { BlockList, isIP } from 'node:net';

/** Which proxy leads where. Given by the parsed configuration; the environment is not read here. */
export interface ProxyRules {
  /** Proxy for `http:` addresses. */
  readonly http?: string;
  /** Proxy for `https:` addresses. */
  readonly https?: string;
  /** Hosts that are reached directly: a host with its subdomains, a host with a port, an IP address, a CIDR range, or `*`. */
  readonly direct?: readonly string[];
}

/** The proxy for an address, or undefined where the connection is direct. Loopback is always direct, as with curl and Go. */
export function proxyFor(url: URL, rules: ProxyRules): string | undefined {
  const proxy = url.protocol === 'https:' ? rules.https : rules.http;
  if (proxy === undefined) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || isLoopback(host)) return undefined;
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return (rules.direct ?? []).some((entry) => matches(entry.trim().toLowerCase(), host, port)) ? undefined : proxy;
}

function isLoopback(host: string): boolean {
  return (isIP(host) === 4 && host.startsWith('127.')) || host === '::1';
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  if (entry.includes('/')) return isInRange(entry, host);
  if (isIP(entry) !== 0) return entry === host;
  const [name = '', wantedPort] = splitPort(entry);
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const bare = name.replace(/^\*?\./, '');
  return host === bare || (isIP(host) === 0 && host.endsWith(`.${bare}`));
}

function splitPort(entry: string): readonly [string, string | undefined] {
  const at = entry.lastIndexOf(':');
  const port = at < 0 ? '' : entry.slice(at + 1);
  return /^\d{1,5}$/.test(port) ? [entry.slice(0, at).replace(/^\[|\]$/g, ''), port] : [entry, undefined];
}

function isInRange(entry: string, host: string): boolean {
  const family = isIP(host);
  const [network = '', prefix = ''] = entry.split('/');
  if (family === 0 || isIP(network) !== family || !/^\d{1,3}$/.test(prefix)) return false;
  if (Number(prefix) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const range = new BlockList();
  range.addSubnet(network, Number(prefix), type);
  return range.check(host, type);
}
