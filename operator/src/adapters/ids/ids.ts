import { randomBytes } from 'node:crypto';
import type { Clock, Ids } from '@hephaisto/core/ports/clock';

/** Ids from the process's clock and the system's randomness. Ids made within one millisecond keep the order they were made in. */
export function createIds(clock: Pick<Clock, 'now'>): Ids {
  let lastMs = 0;
  let counter = 0;
  return {
    uuid() {
      const now = Math.max(clock.now().getTime(), lastMs);
      counter = now === lastMs ? counter + 1 : 0;
      // Twelve bits count within a millisecond; the rare overflow borrows the next one instead of going back.
      lastMs = counter > 0xfff ? now + 1 : now;
      if (counter > 0xfff) counter = 0;
      return uuidV7(lastMs, counter, randomBytes(8));
    },
    token: () => randomBytes(32).toString('base64url'),
  };
}

/** RFC 9562 version 7, with the twelve bits after the version used as a counter. */
export function uuidV7(milliseconds: number, counter: number, random: Uint8Array): string {
  const tail = Buffer.from(random);
  tail[0] = ((tail[0] ?? 0) & 0x3f) | 0x80;
  const time = milliseconds.toString(16).padStart(12, '0');
  const low = (0x7000 | (counter & 0xfff)).toString(16);
  const hex = tail.toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-${low}-${hex.slice(0, 4)}-${hex.slice(4)}`;
}
