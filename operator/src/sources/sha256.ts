import { createHash } from 'node:crypto';

/** Lower-case hex of the text's UTF-8 bytes. */
export function sha256Hex(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}
