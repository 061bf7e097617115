import http from 'node:http';
import https from 'node:https';
import type { KubeFailure } from '@hephaisto/core/ports/kube';
import { classifyBroken } from './classify.ts';

/** One HTTP exchange, with everything that authentication adds already in it. */
export interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly agent: http.Agent | https.Agent;
  readonly auth: string | undefined;
  /** Milliseconds without any progress after which the exchange is given up. */
  readonly idleMs: number;
  /** Milliseconds after which it is given up whatever its progress; absent for streams. */
  readonly totalMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

export type Opened =
  | { readonly kind: 'answered'; readonly answer: http.IncomingMessage; readonly over: Over }
  | KubeFailure;

/** Ends an exchange and tells why it broke. */
export interface Over {
  broke(message: string): KubeFailure;
  /** Stops timers and listeners; the connection returns to the pool if the answer was read to its end. */
  done(): void;
  /** Drops the connection. */
  destroy(): void;
}

/** Sends the request and resolves with the answer's head. Never rejects. */
export function exchange(call: Exchange): Promise<Opened> {
  return new Promise((resolve) => {
    let connected = false;
    let timedOut = false;
    let stopped = false;
    const secure = call.url.protocol === 'https:';
    const request = (secure ? https : http).request(call.url, {
      method: call.method,
      headers:
        call.body === undefined ? call.headers : { ...call.headers, 'content-length': Buffer.byteLength(call.body) },
      agent: call.agent,
      ...(call.auth === undefined ? {} : { auth: call.auth }),
    });
    const giveUp = (): void => {
      timedOut = true;
      request.destroy(new Error('the time allowed for the request is over'));
    };
    const stop = (): void => {
      stopped = true;
      request.destroy(new Error('stopped by the caller'));
    };
    const total = call.totalMs === undefined ? undefined : setTimeout(giveUp, call.totalMs);
    const over: Over = {
      broke: (message) =>
        classifyBroken({
          connected,
          timedOut,
          message: stopped
            ? 'stopped by the caller'
            : timedOut
              ? `nothing came for ${call.totalMs ?? call.idleMs} ms`
              : message,
        }),
      done: () => {
        clearTimeout(total);
        call.signal?.removeEventListener('abort', stop);
      },
      destroy: () => request.destroy(),
    };
    request.setTimeout(call.idleMs, giveUp);
    request.on('socket', (socket) => {
      if (request.reusedSocket) connected = true;
      else
        socket.once(secure ? 'secureConnect' : 'connect', () => {
          connected = true;
        });
    });
    request.on('response', (answer) => resolve({ kind: 'answered', answer, over }));
    request.on('error', (error) => {
      over.done();
      resolve(over.broke(error.message));
    });
    call.signal?.addEventListener('abort', stop, { once: true });
    if (call.signal?.aborted === true) stop();
    else request.end(call.body);
  });
}

/** Reads a whole answer, at most `maxBytes` of it. */
export async function readWhole(
  answer: http.IncomingMessage,
  over: Over,
  maxBytes: number,
): Promise<{ readonly kind: 'ok'; readonly value: string } | KubeFailure> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      const part = chunk as Buffer;
      bytes += part.length;
      if (bytes > maxBytes) {
        over.destroy();
        return {
          kind: 'failure',
          reason: 'malformed',
          message: `expected an answer of at most ${maxBytes} bytes, found more`,
        };
      }
      chunks.push(part);
    }
  } catch (error: unknown) {
    return over.broke(error instanceof Error ? error.message : String(error));
  } finally {
    over.done();
  }
  if (!answer.complete) return over.broke('the answer ended before its announced length');
  return { kind: 'ok', value: Buffer.concat(chunks).toString('utf8') };
}

/** Reads an endless answer line by line. A last line without its newline is half a line: never passed on, reported as a cut. */
export async function readLines(
  answer: http.IncomingMessage,
  over: Over,
  maxLineBytes: number,
  onLine: (line: string) => void,
): Promise<{ readonly kind: 'ok'; readonly value: 'ended' } | KubeFailure> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of answer) {
      rest += decoder.decode(chunk as Buffer, { stream: true });
      if (!rest.includes('\n')) {
        if (rest.length > maxLineBytes) return tooLong(over, maxLineBytes);
        continue;
      }
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') onLine(line);
    }
  } catch (error: unknown) {
    over.destroy();
    return over.broke(error instanceof Error ? error.message : String(error));
  } finally {
    over.done();
  }
  if (!answer.complete || rest !== '') return over.broke('the stream was cut in the middle');
  return { kind: 'ok', value: 'ended' };
}

function tooLong(over: Over, maxLineBytes: number): KubeFailure {
  over.destroy();
  return {
    kind: 'failure',
    reason: 'malformed',
    message: `expected lines of at most ${maxLineBytes} bytes, found a longer one`,
  };
}
