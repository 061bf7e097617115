import type { Logger } from '@hephaisto/core/ports/telemetry';

/** What has been started, closed in the reverse order of its start. */
export interface Teardown {
  add(name: string, close: () => void | Promise<void>): void;
  /** Closes everything once, the last started first; one that fails is logged and the others are closed all the same. Idempotent. */
  close(): Promise<void>;
}

export function createTeardown(log: Logger): Teardown {
  const started: { readonly name: string; readonly close: () => void | Promise<void> }[] = [];
  let closing: Promise<void> | undefined;
  async function closeAll(): Promise<void> {
    for (let last = started.pop(); last !== undefined; last = started.pop()) {
      try {
        await last.close();
      } catch (error: unknown) {
        log.warn('a part did not close in good order', { part: last.name, error });
      }
    }
  }
  return {
    add: (name, close) => started.push({ name, close }),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}
