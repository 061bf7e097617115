import { createServer } from 'node:http';
import type { Config } from '@hephaisto/core/config/schema';

export interface MetricsServer {
  /** Undefined when metrics are served on the main port. */
  readonly url: string | undefined;
  close(): Promise<void>;
}

type Expose = () => Promise<{ readonly contentType: string; readonly body: string }>;

/** `/metrics` on a port of its own, where one is configured. Rejects with the system's error when the port cannot be had. */
export async function startMetricsServer(server: Config['server'], expose: Expose): Promise<MetricsServer> {
  if (server.metricsPort === undefined) return { url: undefined, close: () => Promise.resolve() };
  const http = createServer((request, response) => {
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
  return {
    url: `http://${server.host}:${port}/metrics`,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}
