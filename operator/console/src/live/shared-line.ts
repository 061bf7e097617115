import type { Frame } from './frames.ts';
import { type LiveStream, openStream, type StreamEvents } from './stream.ts';

/** What the tab that holds the line tells the others, and what they may ask of it. */
type Word =
  | { readonly kind: 'opened'; readonly cursor: string | undefined }
  | { readonly kind: 'beat' }
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'failed'; readonly failures: number }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'who-holds' }
  | { readonly kind: 'reconnect' };

const NAME = 'hephaisto-live';

/**
 * One line to the server for all tabs of this browser: a browser opens few connections to a host, and five tabs must not starve the sixth.
 * The tab that holds the lock holds the line and repeats what it hears; when it closes, another takes over behind the last event.
 */
export function openSharedLine(path: string, events: StreamEvents): LiveStream {
  if (!('locks' in navigator) || !('BroadcastChannel' in globalThis)) return openStream(path, undefined, events);
  const channel = new BroadcastChannel(NAME);
  const leaving = new AbortController();
  let stream: LiveStream | undefined;
  let cursor: string | undefined;
  let open = false;

  function tell(word: Word): void {
    if (!leaving.signal.aborted) channel.postMessage(word);
  }

  function hear(word: Word): void {
    switch (word.kind) {
      case 'opened':
        open = true;
        cursor = word.cursor ?? cursor;
        events.opened();
        break;
      case 'beat':
        if (!open) {
          open = true;
          events.opened();
        }
        events.beat();
        break;
      case 'frame':
        cursor = word.frame.id ?? cursor;
        events.frame(word.frame);
        break;
      case 'failed':
        open = false;
        events.failed(word.failures);
        break;
      case 'signed-out':
        events.signedOut();
        break;
      case 'who-holds':
        if (stream !== undefined && open) tell({ kind: 'beat' });
        break;
      case 'reconnect':
        stream?.reconnect();
        break;
    }
  }

  function both(word: Word): void {
    hear(word);
    tell(word);
  }

  channel.onmessage = (message: MessageEvent<Word>) => hear(message.data);
  tell({ kind: 'who-holds' });
  void navigator.locks
    .request(NAME, { signal: leaving.signal }, async () => {
      stream = openStream(path, cursor, {
        opened: () => both({ kind: 'opened', cursor }),
        beat: () => both({ kind: 'beat' }),
        frame: (frame) => both({ kind: 'frame', frame }),
        failed: (failures) => both({ kind: 'failed', failures }),
        signedOut: () => both({ kind: 'signed-out' }),
      });
      await new Promise<void>((resolve) => leaving.signal.addEventListener('abort', () => resolve()));
    })
    .catch(() => {
      // Only leaving ends the wait for the lock.
    });
  return {
    reconnect() {
      if (stream === undefined) tell({ kind: 'reconnect' });
      else stream.reconnect();
    },
    close() {
      leaving.abort();
      stream?.close();
      channel.close();
    },
  };
}
