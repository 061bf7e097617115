import type { ServerResponse } from 'node:http';

/** One watch's answer, line by line. */
export interface WatchStream {
  send(line: string): void;
  end(): void;
  /** Writes the beginning of a line and breaks the connection. */
  cut(halfLine: string): void;
  onGone(callback: () => void): void;
}

/** A watcher that does not read is let go before it fills the memory; it will come back and relist. */
const MOST_UNREAD_BYTES = 32 * 2 ** 20;

/** With `cutAfter`, the line after that many is only half sent and the connection broken. */
export function openStream(response: ServerResponse, cutAfter = Number.POSITIVE_INFINITY): WatchStream {
  let sent = 0;
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  function cut(halfLine: string): void {
    if (response.writableEnded || response.destroyed) return;
    // Only once it is on its way: destroying at once would drop the half line with the rest.
    response.write(halfLine, () => response.destroy());
  }
  return {
    send(line) {
      if (response.writableEnded || response.destroyed || sent > cutAfter) return;
      sent += 1;
      if (sent > cutAfter) return cut(line.slice(0, line.length / 2));
      response.write(line);
      if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
    },
    end: () => void response.end(),
    cut,
    onGone: (callback) => void response.once('close', callback),
  };
}
