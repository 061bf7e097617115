import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Whoever is told of incidents: remembers every message by its key. */
export interface Receiver {
  readonly url: string;
  /** How often each key came. */
  readonly seen: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const seen = new Map<string, number>();
  const server = createServer((request, response) => {
    const key = String(request.headers['idempotency-key'] ?? request.headers['webhook-id'] ?? '');
    seen.set(key, (seen.get(key) ?? 0) + 1);
    request.resume();
    request.on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
