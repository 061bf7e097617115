import { createServer } from 'node:http';
import type { Config } from '@hephaisto/core/config/schema';
import { acceptedHosts, judgeHostCount, judgeHostOrAddress } from '../api/auth/request-origin.ts';

export interface MetricsServer {
  /** Undefined when metrics are served on the main port. */
  readonly url: string | undefined;
  close(): Promise<void>;
}

type Expose = () => Promise<{ readonly contentType: string; readonly body: string }>;

/** `/metrics` on a port of its own, where one is configured. Rejects with the system's error when the port cannot be had. */
export async function startMetricsServer(server: Config['server'], expose: Expose): Promise<MetricsServer> {
  if (server.metricsPort === undefined) return { url: undefined, close: () => Promise.resolve() };
  let hosts: ReadonlySet<string> = new Set();
  const http = createServer((request, response) => {
    const verdicts = [judgeHostCount(request.rawHeaders), judgeHostOrAddress(request.headers.host, hosts)];
    const refused = verdicts.find((verdict) => verdict.kind === 'refused');
    if (refused?.kind === 'refused') {
      response.writeHead(421, { 'content-type': 'text/plain; charset=utf-8' }).end(`${refused.message}\n`);
      return;
    }
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    expose().then(
      ({ contentType, body }) => response.writeHead(200, { 'content-type': contentType }).end(body),
      () => response.writeHead(503).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(server.metricsPort, server.host, resolve);
  });
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : server.metricsPort;
  hosts = acceptedHosts(server, port);
  return {
    url: `http://${server.host}:${port}/metrics`,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}
