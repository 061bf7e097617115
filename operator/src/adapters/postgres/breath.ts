/** How long the embedded engine may go on before everything else in the process gets a turn. */
const LONGEST_BREATH_MS = 10;

/**
 * Gives the rest of the process a turn. The embedded engine answers without ever leaving the thread, so somebody who asks it without pause
 * would keep timers, sockets and probes waiting for as long as that takes.
 */
export class Breath {
  private last = 0;

  async take(): Promise<void> {
    if (performance.now() - this.last < LONGEST_BREATH_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.last = performance.now();
  }
}
