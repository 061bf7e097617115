import { Worker } from 'node:worker_threads';
import { engineModule } from './engine-module.ts';
import type { EngineReply, EngineRequest, EngineStart } from './engine-protocol.ts';
import { Mutex } from './mutex.ts';

/** Recovery reads at most `max_wal_size`, seconds on a slow disk; what takes longer does not start at all. */
const START_DEADLINE_MS = 120_000;
const CLOSE_DEADLINE_MS = 15_000;
const DUMP_DEADLINE_MS = 120_000;

/** The engine ended without an answer. Nothing more can be sent to it; what it had committed is in its folder. */
export class EngineLost extends Error {
  readonly tag = 'EngineLost';
}

interface Pending {
  readonly settle: (reply: EngineReply) => void;
  readonly reject: (error: EngineLost) => void;
  readonly cancel: () => void;
}

/** The embedded engine in a thread of its own. Requests are sent one at a time, in the order of calls. */
export class EngineThread {
  private readonly worker: Worker;
  private readonly turns = new Mutex();
  private pending: Pending | undefined;
  private ending: Promise<unknown> | undefined;
  /** Why the engine is gone; undefined while it runs. */
  lost: EngineLost | undefined;

  private constructor(worker: Worker) {
    this.worker = worker;
    worker.on('message', (reply: EngineReply) => this.receive(reply));
    worker.on('error', (error: unknown) => this.end(error instanceof Error ? error.message : String(error)));
    worker.on('exit', () => this.end('its thread ended'));
  }

  /** Rejects with `EngineLost` when the engine does not start. */
  static async start(options: Omit<EngineStart, 'module'>): Promise<EngineThread> {
    const start: EngineStart = { ...options, module: await engineModule() };
    // Flags of the process, `--input-type` among them, do not all make sense for a thread that runs a file.
    const worker = new Worker(new URL('./engine-worker.ts', import.meta.url), { workerData: start, execArgv: [] });
    const thread = new EngineThread(worker);
    await thread.reply(START_DEADLINE_MS, 'starting took');
    return thread;
  }

  /** One batch of the wire protocol; takes the buffer with it. Rejects with `EngineLost` when no answer comes in time, and ends the engine. */
  exchange(bytes: Uint8Array<ArrayBuffer>, deadlineMs: number): Promise<Uint8Array> {
    return this.turns.run(async () => {
      const answer = this.reply(deadlineMs, 'a statement took');
      this.send({ kind: 'exchange', bytes }, [bytes.buffer]);
      return bytesOf(await answer);
    });
  }

  /** A tar of the database folder. */
  dump(): Promise<Uint8Array> {
    return this.turns.run(async () => {
      const answer = this.reply(DUMP_DEADLINE_MS, 'a dump took');
      this.send({ kind: 'dump' }, []);
      return bytesOf(await answer);
    });
  }

  /** Closes the database files in good order, or ends the thread where that takes too long. */
  async close(): Promise<void> {
    await this.turns.run(async () => {
      const answer = this.reply(CLOSE_DEADLINE_MS, 'closing took');
      this.send({ kind: 'close' }, []);
      await answer.catch(() => undefined);
      this.end('it is closed');
    });
    await this.ended();
  }

  /** Ends the thread wherever it is, as a killed process would. */
  kill(reason: string): void {
    this.end(reason);
  }

  /** Resolves once the thread no longer writes into its folder. */
  async ended(): Promise<void> {
    await this.ending;
  }

  private reply(deadlineMs: number, what: string): Promise<EngineReply> {
    if (this.lost !== undefined) return Promise.reject(this.lost);
    if (this.pending !== undefined)
      return Promise.reject(new Error('expected one request at a time, found a second; this is a bug in hephaisto'));
    return new Promise((settle, reject) => {
      const cancel = afterAwake(deadlineMs, () => this.end(`${what} longer than ${deadlineMs} ms`));
      this.pending = { settle, reject, cancel };
    });
  }

  private send(request: EngineRequest, transfer: ArrayBuffer[]): void {
    if (this.lost === undefined) this.worker.postMessage(request, transfer);
  }

  private receive(reply: EngineReply): void {
    if (reply.kind === 'failed') {
      this.end(reply.reason);
      return;
    }
    const { pending } = this;
    this.pending = undefined;
    pending?.cancel();
    pending?.settle(reply);
  }

  private end(reason: string): void {
    if (this.lost !== undefined) return;
    this.lost = new EngineLost(reason);
    this.ending = this.worker.terminate();
    const { pending } = this;
    this.pending = undefined;
    pending?.cancel();
    pending?.reject(this.lost);
  }
}

function bytesOf(reply: EngineReply): Uint8Array {
  if (reply.kind === 'answer') return reply.bytes;
  throw new Error(`expected an answer of the embedded engine, found \`${reply.kind}\`; this is a bug in hephaisto`);
}

/**
 * Counts a deadline in two halves. A process that was paused, or whose loop was busy, finds the first half overdue and the answer
 * waiting; with one timer it would give up an engine that had answered in time.
 */
function afterAwake(ms: number, expired: () => void): () => void {
  let timer = setTimeout(() => {
    timer = setTimeout(expired, ms / 2);
  }, ms / 2);
  return () => clearTimeout(timer);
}
