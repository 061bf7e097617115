import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { classifyError, type Phase, textOf } from './classify-error.ts';
import { BrokenBodyError, type HttpFailure, type HttpFailureReason, type HttpResult, httpFailure } from './failure.ts';

/** Milliseconds that each phase of an exchange may take. An absent one does not end it. */
export interface Deadlines {
  /** Until a connection is ready: a free place in the pool, name resolution, TCP, TLS and the proxy. */
  readonly connectMs?: number;
  /** From a ready connection to the head of the answer. */
  readonly headersMs?: number;
  /** Longest silence between two parts of the body. A reader that does not read does not count as silence. */
  readonly idleMs?: number;
  /** The whole exchange, the body included. */
  readonly totalMs?: number;
}

/** The head of an answer, and its body while it arrives. The reader reads the body to its end or destroys it. */
export interface HttpAnswer {
  readonly status: number;
  /** Lower-case names; a name that occurs more than once has its values joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Throws `BrokenBodyError` where the answer ends early. */
  readonly body: Readable;
}

export interface ExchangeLimits {
  readonly deadlines: Deadlines;
  readonly signal: AbortSignal | undefined;
  /** Longest body. Default: no limit, for streams that their reader bounds. */
  readonly maxBodyBytes: number | undefined;
}

export interface ExchangePeer {
  readonly host: string;
  readonly proxied: boolean;
}

const HIGH_WATER_MARK_BYTES = 65_536;

/**
 * One exchange over a connection of undici. The timers are ours: those of undici have a resolution of half a second, and an abort of
 * undici waits for the connection that never comes.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly opened: Promise<HttpResult<HttpAnswer>>;
  readonly #open: (result: HttpResult<HttpAnswer>) => void;
  readonly #peer: ExchangePeer;
  readonly #limits: ExchangeLimits;
  readonly #total: NodeJS.Timeout | undefined;
  #phase: Phase = 'connect';
  #phaseTimer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: Readable | undefined;
  #received = 0;
  #ended = false;

  constructor(peer: ExchangePeer, limits: ExchangeLimits) {
    const { promise, resolve } = Promise.withResolvers<HttpResult<HttpAnswer>>();
    this.opened = promise;
    this.#open = resolve;
    this.#peer = peer;
    this.#limits = limits;
    const { totalMs } = limits.deadlines;
    if (totalMs !== undefined)
      this.#total = setTimeout(() => this.#fail('deadline', `no whole answer within ${totalMs} ms`), totalMs);
    this.#enter('connect');
    limits.signal?.addEventListener('abort', this.#abort, { once: true });
    if (limits.signal?.aborted === true) this.#abort();
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The caller has its answer already: nothing of the request may be sent.
    if (this.#ended) controller.abort(new Error('the exchange is over'));
    else this.#enter('headers');
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (this.#ended || status < 200) return;
    this.#enter('body');
    const { maxBodyBytes } = this.#limits;
    if (maxBodyBytes !== undefined && Number(headers['content-length'] ?? 0) > maxBodyBytes) {
      this.#tooLarge(maxBodyBytes);
      return;
    }
    this.#body = new Readable({
      highWaterMark: HIGH_WATER_MARK_BYTES,
      read: () => {
        if (!controller.paused) return;
        this.#enter('body');
        controller.resume();
      },
      destroy: (error, callback) => {
        if (!this.#ended) this.#fail('aborted', 'the reader stopped reading');
        callback(error);
      },
    });
    // A body may break before its reader has come; the reader still gets the error, and without a listener it would end the process.
    this.#body.on('error', () => undefined);
    this.#open({ kind: 'ok', value: { status, headers: flatten(headers), body: this.#body } });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    const { maxBodyBytes } = this.#limits;
    this.#received += chunk.length;
    if (maxBodyBytes !== undefined && this.#received > maxBodyBytes) {
      this.#tooLarge(maxBodyBytes);
      return;
    }
    this.#enter('body');
    if (this.#body?.push(chunk) !== false) return;
    controller.pause();
    clearTimeout(this.#phaseTimer);
  }

  onResponseEnd(): void {
    if (this.#ended) return;
    this.#end();
    this.#body?.push(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.broke(error);
  }

  /** Ends the exchange because of an error of the HTTP library. */
  broke(error: unknown): void {
    this.#fail(classifyError(error, this.#phase, this.#peer.proxied), textOf(error));
  }

  readonly #abort = (): void => this.#fail('aborted', 'stopped by the caller');

  #tooLarge(maxBodyBytes: number): void {
    this.#fail('body-too-large', 'more', `an answer of at most ${maxBodyBytes} bytes`);
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    clearTimeout(this.#phaseTimer);
    const { connectMs, headersMs, idleMs } = this.#limits.deadlines;
    const limit = { connect: connectMs, headers: headersMs, body: idleMs }[phase];
    if (limit !== undefined) this.#phaseTimer = setTimeout(() => this.#late(phase, limit), limit);
  }

  #late(phase: Phase, limit: number): void {
    if (phase === 'connect') this.#fail('connect-timeout', `no connection within ${limit} ms`);
    else if (phase === 'headers') this.#fail('headers-timeout', `no answer within ${limit} ms`);
    else this.#fail('idle-timeout', `nothing came for ${limit} ms`);
  }

  #fail(reason: HttpFailureReason, found: string, expected?: string): void {
    if (this.#ended) return;
    this.#end();
    const failure: HttpFailure = httpFailure({
      reason,
      sent: this.#phase !== 'connect',
      host: this.#peer.host,
      found,
      ...(expected === undefined ? {} : { expected }),
    });
    this.#open(failure);
    const error = new BrokenBodyError(failure);
    this.#body?.destroy(error);
    this.#controller?.abort(error);
  }

  #end(): void {
    this.#ended = true;
    clearTimeout(this.#phaseTimer);
    clearTimeout(this.#total);
    this.#limits.signal?.removeEventListener('abort', this.#abort);
  }
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
