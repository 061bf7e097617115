import { createParser } from 'eventsource-parser';
import type { Pace } from '../pace.ts';
import type { PersonClient } from './person.ts';

/** One transition as the live stream told it. */
export interface EdgeSeen {
  readonly incident: {
    readonly id: string;
    readonly number: number;
    readonly title: string;
    readonly namespace: string | null;
  };
  readonly edge: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly reason: string | null;
  readonly at: string;
}

interface StreamData {
  readonly incident?: EdgeSeen['incident'];
  readonly event?: {
    readonly kind: string;
    readonly edge: string | null;
    readonly from: string | null;
    readonly to: string | null;
    readonly reason: string | null;
    readonly at: string;
  };
}

const AGAIN_MS = 500;

/** Follows the API's event stream until the signal aborts, resuming where a broken one ended. */
export async function followEdges(
  person: PersonClient,
  pace: Pace,
  signal: AbortSignal,
  onEdge: (edge: EdgeSeen) => void,
): Promise<void> {
  let last: string | undefined;
  while (!signal.aborted) {
    try {
      await readOnce(await person.stream(signal, last), (id, data) => {
        last = id ?? last;
        const { incident, event } = JSON.parse(data) as StreamData;
        if (incident === undefined || event?.kind !== 'transition' || event.edge === null) return;
        onEdge({ incident, edge: event.edge, from: event.from, to: event.to, reason: event.reason, at: event.at });
      });
    } catch (error: unknown) {
      if (signal.aborted) return;
      // A stream that ends is opened again; what it missed comes from where it was.
      if (!(error instanceof TypeError) && !(error instanceof Error)) throw error;
    }
    await pace.sleep(AGAIN_MS * pace.speed, signal).catch(() => {});
  }
}

async function readOnce(
  stream: ReadableStream<Uint8Array>,
  onEvent: (id: string | undefined, data: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent: (event) => onEvent(event.id, event.data) });
  for await (const chunk of stream) parser.feed(decoder.decode(chunk, { stream: true }));
}
