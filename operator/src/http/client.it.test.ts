import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { makeServingCertificate } from '../demo/cluster/certificates.ts';
import { createHttpClient, type HttpClient, type HttpClientOptions } from './client.ts';
import { BrokenBodyError, type HttpResult } from './failure.ts';

const LIMITS = { deadlines: { totalMs: 30_000 }, maxBodyBytes: 1_000 } as const;
const SHORT_MS = 150;

async function listening(server: Server, use: (port: number) => Promise<void>): Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

async function withClient(options: HttpClientOptions, use: (client: HttpClient) => Promise<void>): Promise<void> {
  const client = createHttpClient(options);
  try {
    await use(client);
  } finally {
    client.close();
  }
}

const serving = (listener: RequestListener, use: (client: HttpClient, base: string) => Promise<void>) =>
  listening(createServer(listener), (port) => withClient({}, (client) => use(client, `http://127.0.0.1:${port}`)));

/** Accepts a connection, reads what comes, and answers with these bytes, or not at all. */
const bytes = (text: string | undefined, use: (client: HttpClient, base: string) => Promise<void>, end = false) =>
  listening(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        if (text !== undefined) socket.write(text);
        if (end) socket.end();
      });
    }),
    (port) => withClient({}, (client) => use(client, `http://127.0.0.1:${port}`)),
  );

function summary(result: HttpResult<unknown>): readonly unknown[] {
  return result.kind === 'ok' ? ['ok'] : [result.reason, result.retry, result.sent];
}

const get = { method: 'GET', ...LIMITS } as const;

describe('the HTTP client', { timeout: 60_000 }, () => {
  it('sends below the base path, with query, headers and body, and uses its connection again', async () => {
    const seen: unknown[] = [];
    const connections = new Set<unknown>();
    await serving(
      (request, response) => {
        connections.add(request.socket);
        let body = '';
        request.on('data', (chunk: Buffer) => {
          body += chunk.toString();
        });
        request.on('end', () => {
          seen.push([
            request.method,
            request.url,
            request.headers.authorization,
            request.headers['content-length'],
            body,
          ]);
          response.writeHead(201, { 'x-two': ['a', 'b'] }).end('grüße');
        });
      },
      async (client, base) => {
        const call = {
          base: `${base.replace('//', '//me:secret@')}/prefix?tenant=a`,
          path: '/api/things?all=1',
          query: { name: 'a b', none: undefined },
          method: 'POST',
          body: 'ä',
          ...LIMITS,
        };
        for (let time = 0; time < 6; time += 1) {
          const answer = await client.request(call);
          assert.ok(answer.kind === 'ok');
          assert.deepEqual(
            [answer.value.status, answer.value.headers['x-two'], answer.value.text],
            [201, 'a, b', 'grüße'],
          );
        }
      },
    );
    const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`;
    const expected = ['POST', '/prefix/api/things?tenant=a&all=1&name=a+b', authorization, '2', 'ä'];
    assert.deepEqual(
      seen,
      Array.from({ length: 6 }, () => expected),
    );
    // The pool takes a second connection while the first one is being returned.
    assert.ok(connections.size <= 2, `expected at most 2 connections, found ${connections.size}`);
  });

  it('ends each phase that takes too long by its own reason, and knows whether the request was sent', async () => {
    const only = (deadlines: object) => ({ method: 'GET', maxBodyBytes: 1_000, deadlines });
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc';
    // A server that accepts and never shakes hands.
    await listening(
      createTcpServer(() => undefined),
      (port) =>
        withClient({}, async (client) => {
          const base = `https://127.0.0.1:${port}`;
          const phase = await client.request({ ...only({ connectMs: SHORT_MS }), base });
          assert.deepEqual(summary(phase), ['connect-timeout', 'retryable', false]);
          const whole = await client.request({ ...only({ totalMs: SHORT_MS }), base });
          assert.deepEqual(summary(whole), ['deadline', 'retryable', false]);
        }),
    );
    await bytes(undefined, async (client, base) => {
      const late = await client.request({ ...only({ headersMs: SHORT_MS }), base });
      assert.deepEqual(summary(late), ['headers-timeout', 'retryable', true]);
    });
    for (const [deadlines, reason] of [
      [{ idleMs: SHORT_MS }, 'idle-timeout'],
      [{ totalMs: SHORT_MS }, 'deadline'],
    ] as const)
      await bytes(head, async (client, base) => {
        assert.deepEqual(summary(await client.request({ ...only(deadlines), base })), [reason, 'retryable', true]);
      });
  });

  it('a body that trickles passes the silence limit and meets the limit of the whole', async () => {
    let timer: NodeJS.Timeout | undefined;
    await serving(
      (_request, response) => {
        response.writeHead(200);
        timer = setInterval(() => response.write('.'), 10);
        response.on('close', () => clearInterval(timer));
      },
      async (client, base) => {
        const deadlines = { idleMs: 10_000, totalMs: 300 };
        assert.deepEqual(summary(await client.request({ ...get, deadlines, base })), ['deadline', 'retryable', true]);
      },
    );
  });

  it('a reader that pauses is no silence of the server', () =>
    serving(
      (_request, response) => void response.end(Buffer.alloc(400_000, 'x')),
      async (client, base) => {
        const opened = await client.open({ method: 'GET', base, deadlines: { idleMs: SHORT_MS } });
        assert.ok(opened.kind === 'ok');
        await new Promise((resolve) => setTimeout(resolve, 3 * SHORT_MS));
        let size = 0;
        for await (const chunk of opened.value.body as AsyncIterable<Buffer>) size += chunk.length;
        assert.equal(size, 400_000);
      },
    ));

  it('a body over the limit ends the connection, whether its length is announced or not', async () => {
    for (const announced of [true, false]) {
      const closed = Promise.withResolvers<void>();
      await serving(
        (_request, response) => {
          response.on('close', closed.resolve);
          response.writeHead(200, announced ? { 'content-length': '50000000' } : {});
          response.write(Buffer.alloc(1_001));
        },
        async (client, base) => {
          const answer = await client.request({ ...get, base });
          assert.deepEqual(summary(answer), ['body-too-large', 'terminal', true]);
          assert.match(answer.kind === 'failure' ? answer.message : '', /^expected an answer of at most 1000 bytes/);
          await closed.promise;
        },
      );
    }
    await serving(
      (_request, response) => void response.end(Buffer.alloc(1_000, 'x')),
      async (client, base) => assert.equal((await client.request({ ...get, base })).kind, 'ok'),
    );
  });

  it('a redirect is an answer and is not followed', async () => {
    let asked = 0;
    await serving(
      (_request, response) => {
        asked += 1;
        response.writeHead(302, { location: '/elsewhere' }).end();
      },
      async (client, base) => {
        const answer = await client.request({ ...get, base });
        assert.equal(answer.kind === 'ok' ? answer.value.status : 0, 302);
      },
    );
    assert.equal(asked, 1);
  });

  it('an answer that ends early is cut, and a head that floods or is none is refused', async () => {
    const flood = `HTTP/1.1 200 OK\r\n${`x-a: ${'a'.repeat(1_000)}\r\n`.repeat(40)}`;
    for (const [text, expected] of [
      ['', ['cut', 'retryable', true]],
      ['HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', ['cut', 'retryable', true]],
      ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n', ['cut', 'retryable', true]],
      [flood, ['headers-too-large', 'terminal', true]],
      ['SSH-2.0-OpenSSH\r\n\r\n', ['malformed', 'terminal', true]],
    ] as const)
      await bytes(
        text,
        async (client, base) => assert.deepEqual(summary(await client.request({ ...get, base })), expected, text),
        true,
      );
  });

  it('an abort ends the call in every phase, and the connection with it', async () => {
    const gone = new AbortController();
    gone.abort();
    const closed = Promise.withResolvers<void>();
    await serving(
      (request, response) => {
        request.socket.on('close', closed.resolve);
        response.writeHead(200).write('abc');
      },
      async (client, base) => {
        const before = await client.request({ ...get, base, signal: gone.signal });
        assert.deepEqual(summary(before), ['aborted', 'terminal', false]);
        const stop = new AbortController();
        const opened = await client.open({ method: 'GET', base, deadlines: {}, signal: stop.signal });
        assert.ok(opened.kind === 'ok');
        stop.abort();
        await assert.rejects(
          async () => {
            for await (const chunk of opened.value.body) assert.ok(chunk);
          },
          (error: unknown) => error instanceof BrokenBodyError && error.failure.reason === 'aborted',
        );
        await closed.promise;
      },
    );
    await listening(
      createTcpServer(() => undefined),
      (port) =>
        withClient({}, async (client) => {
          const stop = new AbortController();
          const pending = client.request({ ...get, base: `https://127.0.0.1:${port}`, signal: stop.signal });
          stop.abort();
          assert.deepEqual(summary(await pending), ['aborted', 'terminal', false]);
        }),
    );
  });

  it('a request that was given up before its connection was ready is never sent', async () => {
    const requests: unknown[] = [];
    const first = Promise.withResolvers<void>();
    await listening(
      createServer((request, response) => {
        requests.push(request.url);
        if (request.url === '/first') first.promise.then(() => response.end());
        else response.end();
      }),
      (port) =>
        withClient({ maxConnections: 1 }, async (client) => {
          const base = `http://127.0.0.1:${port}`;
          const held = client.request({ ...get, base, path: '/first' });
          const queued = await client.request({ ...get, base, path: '/queued', deadlines: { connectMs: SHORT_MS } });
          assert.deepEqual(summary(queued), ['connect-timeout', 'retryable', false]);
          first.resolve();
          assert.equal((await held).kind, 'ok');
          assert.equal((await client.request({ ...get, base, path: '/last' })).kind, 'ok');
        }),
    );
    assert.deepEqual(requests, ['/first', '/last']);
  });

  it('nobody there, no such name and no address are failures that never left', () =>
    withClient({}, async (client) => {
      for (const [base, reason] of [
        ['http://127.0.0.1:1', 'unreachable'],
        ['http://name.invalid', 'unresolved'],
        ['ftp://127.0.0.1', 'invalid-call'],
        ['no address', 'invalid-call'],
      ] as const) {
        const [found, , sent] = summary(await client.request({ ...get, base }));
        assert.deepEqual([found, sent], [reason, false], base);
      }
      const header = await client.request({ ...get, base: 'http://127.0.0.1:1', headers: { a: 'b\r\nc: d' } });
      assert.deepEqual(summary(header), ['invalid-call', 'terminal', false]);
    }));
});

describe('the HTTP client over TLS and proxies', { timeout: 60_000 }, () => {
  async function certificates(): Promise<{ readonly ca: string; readonly cert: string; readonly key: string }> {
    const { caPem, certificatePem, keyPem } = await makeServingCertificate('server', new Date());
    return { ca: caPem, cert: certificatePem, key: keyPem };
  }

  it('trusts a private authority only where it is named, and shows its client certificate', async () => {
    const { ca, cert, key } = await certificates();
    const shown: unknown[] = [];
    const server = createTlsServer({ cert, key, requestCert: true, rejectUnauthorized: false }, (request, response) => {
      shown.push((request.socket as TLSSocket).getPeerX509Certificate()?.subject);
      response.end('secret');
    });
    await listening(server, async (port) => {
      const base = `https://127.0.0.1:${port}`;
      const ask = async (tls: HttpClientOptions['tls'] = {}) => {
        let found: readonly unknown[] = [];
        await withClient({ tls }, async (client) => {
          found = summary(await client.request({ ...get, base }));
        });
        return found;
      };
      assert.deepEqual(await ask(), ['untrusted', 'terminal', false]);
      assert.deepEqual(await ask({ ca: [ca], servername: 'other.example' }), ['untrusted', 'terminal', false]);
      assert.deepEqual(await ask({ ca: [ca] }), ['ok']);
      assert.deepEqual(await ask({ ca: [ca], cert, key, servername: 'localhost' }), ['ok']);
      assert.deepEqual(await ask({ isVerified: false }), ['ok']);
    });
    assert.deepEqual(
      shown.map((subject) => subject !== undefined),
      [false, true, false],
    );
  });

  /** A proxy that leads every name to one port, and keeps the names that it was asked for. */
  const proxying = (to: number, use: (proxy: string, asked: string[]) => Promise<void>) => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
      response.end('through the proxy');
    });
    server.on('connect', (request, socket: Socket) => {
      asked.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
      const upstream = connect(to, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      for (const each of [upstream, socket]) each.on('error', () => each.destroy());
    });
    return listening(server, (port) => use(`http://me:pw@127.0.0.1:${port}`, asked));
  };

  it('goes through the proxy of its scheme with the proxy’s credentials, except to hosts that are named as direct', async () => {
    const { ca, cert, key } = await certificates();
    await listening(
      createTlsServer({ cert, key }, (_request, response) => void response.end('from the server')),
      (port) =>
        proxying(port, async (proxy, asked) => {
          const text = async (client: HttpClient, base: string) => {
            const answer = await client.request({ ...get, base });
            return answer.kind === 'ok' ? answer.value.text : answer.reason;
          };
          const tls = { ca: [ca], servername: 'localhost' };
          await withClient({ tls, proxies: { http: proxy, https: proxy } }, async (client) => {
            assert.equal(await text(client, 'https://behind.example/a'), 'from the server');
            assert.equal(await text(client, 'http://plain.example/b'), 'through the proxy');
            assert.equal(await text(client, `https://127.0.0.1:${port}/c`), 'from the server');
          });
          const authorization = `Basic ${Buffer.from('me:pw').toString('base64')}`;
          assert.deepEqual(asked, [
            `CONNECT behind.example:443 ${authorization}`,
            `GET http://plain.example/b ${authorization}`,
          ]);
          await withClient({ proxies: { http: proxy, https: proxy, direct: ['.invalid'] } }, async (client) => {
            assert.equal(await text(client, 'http://name.invalid'), 'unresolved');
          });
          assert.equal(asked.length, 2);
        }),
    );
  });

  it('a proxy that refuses, hangs or is away is a failure of the proxy, and nothing was sent', async () => {
    const server = createServer();
    server.on('connect', (request, socket: Socket) => {
      socket.on('error', () => undefined);
      if (request.url?.startsWith('refused') === true) socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    });
    await listening(server, (port) =>
      withClient({ proxies: { https: `http://127.0.0.1:${port}` } }, async (client) => {
        const refused = await client.request({ ...get, base: 'https://refused.example' });
        assert.deepEqual(summary(refused), ['proxy', 'retryable', false]);
        const hung = await client.request({ ...get, base: 'https://hung.example', deadlines: { connectMs: SHORT_MS } });
        assert.deepEqual(summary(hung), ['connect-timeout', 'retryable', false]);
      }),
    );
    await withClient({ proxies: { https: 'http://127.0.0.1:1' } }, async (client) => {
      const away = await client.request({ ...get, base: 'https://any.example' });
      assert.deepEqual(summary(away), ['proxy', 'retryable', false]);
    });
  });
});
