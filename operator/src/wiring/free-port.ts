import { createServer } from 'node:net';

/**
 * Rejects with the listener's own error (`EADDRINUSE`, `EACCES` …) when the port cannot be had. Asked before anything slow is done: whoever
 * mistyped a port should not wait for a database to be created. Whoever takes the port meanwhile is met again when it is really opened.
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()));
  });
}
