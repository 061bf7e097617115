import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@hephaisto/core/ports/database';
import { openPostgres } from './postgres.ts';

/** One message of the server's side of the protocol. */
function message(type: string, body: Buffer = Buffer.alloc(0)): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const WELCOME = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const LAST_WORDS = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'),
);

/** Greets and dies: with its last words in the same breath, or as the answer to a statement. */
async function startDyingServer(at: 'greeting' | 'statement') {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const die = () => setTimeout(() => socket.end(LAST_WORDS), 20);
      socket.write(at === 'greeting' ? Buffer.concat([WELCOME, LAST_WORDS]) : WELCOME);
      if (at === 'greeting') die();
      socket.on('data', () => {
        if (!socket.writableEnded) socket.write(LAST_WORDS);
        die();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `postgresql://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/none`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('a server that goes on talking while it dies', () => {
  for (const at of ['greeting', 'statement'] as const)
    it(`with its ${at}: the statement fails, and never the process`, async () => {
      const server = await startDyingServer(at);
      const loose: unknown[] = [];
      const onLoose = (error: unknown) => loose.push(error);
      process.on('uncaughtException', onLoose);
      const db = openPostgres({ url: server.url, poolSize: 2, connectTimeoutMs: 500 });
      try {
        for (const statement of ['SELECT 1', 'SELECT 2'])
          await assert.rejects(db.query(statement, []), (error) => error instanceof StoreUnavailable);
        // What it says to a connection that was given up already comes after the statement has failed.
        await sleep(100);
        assert.deepEqual(loose, []);
      } finally {
        server.close();
        await db.close();
        process.off('uncaughtException', onLoose);
      }
    });
});
