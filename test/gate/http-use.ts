import { importsOf } from './imports.ts';
import { isTest, type Source, type Violation, withoutComments } from './sources.ts';

const PRODUCT = /^operator\/src\//;
/** The simulated world serves HTTP and plays its clients; it is no part of the product. */
const SIMULATION = /^operator\/src\/demo\//;

/** Files that serve HTTP. */
const SERVERS: readonly string[] = ['operator/src/wiring/metrics-server.ts'];

/** Clients with a transport of their own. Each leaves this list when it takes the client; none joins it. */
const OWN_TRANSPORTS: readonly string[] = [
  'operator/src/adapters/kube/access.ts',
  'operator/src/adapters/kube/connection.ts',
  'operator/src/adapters/kube/transport.ts',
  'operator/src/cli/client.ts',
  'operator/src/cli/link-session.ts',
  'operator/src/model/transport.ts',
];

const HTTP_MODULE = /^(?:node:)?(?:https?|http2)$|^undici$/;
const FETCH = /(?<![.\w])(?:globalThis\.)?fetch\(/;

/** Holds that requests to other servers go through the HTTP client, so that each has its deadlines, limits and proxy rules. */
export function judgeHttpUse(sources: readonly Source[]): readonly Violation[] {
  return sources
    .filter(({ path }) => PRODUCT.test(path) && !SIMULATION.test(path) && !isTest(path))
    .filter(({ path }) => !path.startsWith('operator/src/http/') && !isListed(path))
    .filter(usesHttp)
    .map(({ path }) => ({ path, rule: 'http-client', message: 'take the client of `operator/src/http`' }));
}

/** Listed files that are gone or use HTTP no more; the list must shrink with them. */
export function staleHttpExceptions(sources: readonly Source[]): readonly string[] {
  const using = new Set(sources.filter(usesHttp).map(({ path }) => path));
  return [...SERVERS, ...OWN_TRANSPORTS].filter((path) => !using.has(path));
}

function isListed(path: string): boolean {
  return SERVERS.includes(path) || OWN_TRANSPORTS.includes(path);
}

function usesHttp(source: Source): boolean {
  return importsOf(source).some((module) => HTTP_MODULE.test(module)) || FETCH.test(withoutComments(source.text));
}
