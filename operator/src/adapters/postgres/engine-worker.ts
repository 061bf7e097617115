/** Entry of the engine's own thread: runs what it is sent, one request after the other, so that no statement ever blocks the server's loop. */
import { openAsBlob } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { startEngine } from './embedded-engine.ts';
import type { EngineReply, EngineRequest, EngineStart } from './engine-protocol.ts';

const CODE_OF_Z = 0x5a;
/** Length of `ReadyForQuery`: a code, four bytes of length, and the transaction's state. */
const READY_BYTES = 6;

const port = parentPort;
if (port === null) throw new Error('expected to run as a worker thread, found the main thread');

/** The engine's last own words about why it ends; an error of a statement never starts so. */
let lastFatal: string | undefined;

function keepFatal(line: string): void {
  if (/\b(PANIC|FATAL):/.test(line)) lastFatal = line.slice(0, 500);
}

function reply(message: EngineReply): void {
  port?.postMessage(message, message.kind === 'answer' ? [message.bytes.buffer] : []);
}

function fail(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  reply({ kind: 'failed', reason: lastFatal === undefined ? reason : `${reason}: ${lastFatal}` });
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** Every complete answer ends in `ReadyForQuery`; an engine that panicked returns without it and must not be asked again. */
function isComplete(bytes: Uint8Array): boolean {
  return bytes.length >= READY_BYTES && bytes[bytes.length - READY_BYTES] === CODE_OF_Z;
}

try {
  const { folder, load, settings, module } = workerData as EngineStart;
  const engine = await startEngine({
    module,
    onLog: keepFatal,
    ...(folder !== undefined && { folder }),
    ...(load !== undefined && { load: await openAsBlob(load) }),
    ...(settings !== undefined && { settings }),
  });

  async function exchange(request: Uint8Array): Promise<void> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    await engine.execProtocolRawStream(request, {
      onRawData: (chunk) => {
        // The chunk is a view of the engine's memory, which the next chunk overwrites.
        chunks.push(chunk.slice());
        length += chunk.length;
      },
    });
    const bytes = joined(chunks, length);
    if (isComplete(bytes)) reply({ kind: 'answer', bytes });
    else fail('the engine stopped within a statement');
  }

  async function handle(request: EngineRequest): Promise<void> {
    switch (request.kind) {
      case 'exchange':
        return exchange(request.bytes);
      case 'dump':
        return reply({
          kind: 'answer',
          bytes: new Uint8Array(await (await engine.dumpDataDir('none')).arrayBuffer()),
        });
      case 'close':
        await engine.close();
        reply({ kind: 'closed' });
        port?.close();
        return;
      default:
        request satisfies never;
    }
  }

  port.on('message', (request: EngineRequest) => void handle(request).catch(fail));
  reply({ kind: 'started' });
} catch (error: unknown) {
  fail(error);
}
