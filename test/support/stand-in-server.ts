import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Counted, Reply, Script, SeenRequest, StandIn } from './model-script.ts';
import { createPromptCounter } from './model-script.ts';

/** One provider's wire, as far as the server's part of it goes. */
export interface Wire {
  read(path: string, headers: Readonly<Record<string, string>>, raw: string): SeenRequest;
  /** The stream's pieces, each a whole event. */
  pieces(reply: Extract<Reply, { kind: 'answer' }>, counted: Counted): readonly string[];
  blocked(counted: Counted): readonly string[];
  textPiece(text: string): string;
  refusal(status: number): string;
}

/** An HTTP server that speaks a wire and does what a script says. Listens on a free port of this machine. */
export async function startStandIn(wire: Wire, script: Script): Promise<StandIn> {
  const requests: SeenRequest[] = [];
  const hungUp: number[] = [];
  const count = createPromptCounter();
  const server = http.createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      if (response.headersSent) return void response.destroy();
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: error instanceof Error ? error.message : String(error) } }));
    });
  });

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString('utf8');
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const seen = wire.read(request.url ?? '', headers, raw);
    const n = requests.push(seen) - 1;
    response.on('close', () => {
      if (!response.writableFinished) hungUp.push(n);
    });
    const reply = await script(seen, n);
    await play(reply, response, count(seen.prompt));
  }

  async function play(reply: Reply, response: http.ServerResponse, counted: Counted): Promise<void> {
    if (reply.kind === 'status') {
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(reply.body ?? wire.refusal(reply.status));
      return;
    }
    if (reply.kind === 'stall' || reply.kind === 'cut') {
      if (reply.after !== 'nothing') begin(response);
      if (reply.after === 'a-piece') response.write(wire.textPiece('I begin to '));
      await sleep(20);
      if (reply.kind === 'cut') response.socket?.destroy();
      return;
    }
    begin(response);
    if (reply.kind === 'raw') return void response.end(reply.text);
    if (reply.kind === 'flood') return flood(response, reply.bytes);
    if (reply.kind === 'block-prompt') return void response.end(wire.blocked(counted).join(''));
    for (const piece of wire.pieces(reply, counted)) {
      if (response.destroyed) return;
      response.write(piece);
      if (reply.everyMs !== undefined) await sleep(reply.everyMs);
    }
    response.end();
  }

  async function flood(response: http.ServerResponse, bytes: number): Promise<void> {
    const piece = wire.textPiece('x'.repeat(16_384));
    for (let sent = 0; sent < bytes && !response.destroyed; sent += piece.length) {
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
    response.end();
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    hungUp,
    openConnections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, open) => (error === null ? resolve(open) : reject(error))),
      ),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function begin(response: http.ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
}

function once(response: http.ServerResponse, event: string): Promise<void> {
  return new Promise((resolve) => response.once(event, () => resolve()));
}

/** Cuts a text into so many parts of about equal length. */
export function cutInto(text: string, pieces: number): readonly string[] {
  const length = Math.max(1, Math.ceil(text.length / Math.max(1, pieces)));
  const parts: string[] = [];
  for (let from = 0; from < text.length; from += length) parts.push(text.slice(from, from + length));
  return parts.length === 0 ? [''] : parts;
}
