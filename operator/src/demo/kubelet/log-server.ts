import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeServingCertificate } from '../cluster/certificates.ts';
import type { Life } from './container-record.ts';
import { linesUntil } from './log-lines.ts';
import { type LogQuery, logSource, parseLogQuery, renderLog } from './log-query.ts';
import type { PodWorker } from './pod-worker.ts';

export interface LogServer {
  readonly port: number;
  close(): Promise<void>;
}

const FOLLOW_POLL_MS = 100;

function refuse(response: ServerResponse, code: number, message: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(message);
}

/** Writes what is new until the life has ended or the reader has gone. */
async function follow(
  response: ServerResponse,
  worker: PodWorker,
  life: Life,
  query: LogQuery,
  from: number,
): Promise<void> {
  const { pace } = worker;
  const written = () => {
    const { init, containers } = worker.record;
    return [...init, ...containers].flatMap((each) => [each.life, each.previous]).find((each) => each?.id === life.id);
  };
  let last = from;
  while (!response.destroyed && response.writable) {
    await pace.sleep(FOLLOW_POLL_MS * pace.speed);
    const current = written();
    const now = pace.now().getTime();
    const fresh = linesUntil(current ?? life, now, pace.speed).filter((line) => line.at > last);
    if (fresh.length > 0)
      response.write(renderLog(fresh, { previous: false, follow: false, timestamps: query.timestamps }, now));
    last = now;
    if (current === undefined || current.end !== undefined) break;
  }
  response.end();
}

async function serveLog(
  url: URL,
  response: ServerResponse,
  find: (namespace: string, pod: string) => PodWorker | undefined,
): Promise<void> {
  const [, , namespace = '', pod = '', container = ''] = url.pathname.split('/').map(decodeURIComponent);
  const query = parseLogQuery(url.searchParams);
  if (query === undefined) return refuse(response, 422, '{"message": "Invalid request."}');
  const worker = find(namespace, pod);
  if (worker === undefined) return refuse(response, 404, `pod ${JSON.stringify(pod)} does not exist`);
  const { pace } = worker;
  const now = pace.now().getTime();
  const source = logSource(worker.pod, worker.record, container, query.previous, now, pace.speed);
  if (source.kind === 'error') return refuse(response, source.code, source.message);
  response.writeHead(200, { 'content-type': 'text/plain' });
  const bytes = renderLog(linesUntil(source.life, now, pace.speed), query, now);
  if (!query.follow || source.life.end !== undefined) {
    response.end(bytes);
    return;
  }
  response.write(bytes);
  await follow(response, worker, source.life, query, now);
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/**
 * The kubelet's HTTPS port on a free port of 127.0.0.1: `/containerLogs/{namespace}/{pod}/{container}` and `/healthz`, as the API
 * server asks for them. It serves invented logs to this machine only and therefore asks nobody who they are.
 */
export async function startLogServer(
  now: Date,
  find: (namespace: string, pod: string) => PodWorker | undefined,
): Promise<LogServer> {
  const certificate = await makeServingCertificate('story-kubelet', now);
  const server = createServer(
    { key: certificate.keyPem, cert: certificate.certificatePem },
    (request: IncomingMessage, response) => {
      const url = new URL(request.url ?? '/', 'https://127.0.0.1');
      if (url.pathname === '/healthz') {
        response.end('ok');
        return;
      }
      if (request.method !== 'GET' || !url.pathname.startsWith('/containerLogs/')) {
        refuse(response, 404, '404 page not found');
        return;
      }
      serveLog(url, response, find).catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else refuse(response, 500, error instanceof Error ? error.message : String(error));
      });
    },
  );
  const port = await listen(server);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
