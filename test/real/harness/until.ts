import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 100;

/** Asks until the answer is true. Throws with the sentence that never came true, and with the last error when asking failed. */
export async function until(
  what: string,
  holds: () => Promise<boolean> | boolean,
  withinSeconds = 30,
  everyMs = LOOK_MS,
): Promise<void> {
  const end = Date.now() + withinSeconds * 1000;
  let last: unknown;
  for (;;) {
    try {
      if (await holds()) return;
      last = undefined;
    } catch (error: unknown) {
      last = error;
    }
    if (Date.now() > end)
      throw new Error(
        `expected within ${withinSeconds} s that ${what}, found it did not come${last === undefined ? '' : `: ${String(last)}`}`,
      );
    await sleep(everyMs);
  }
}
