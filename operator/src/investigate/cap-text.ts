import { utf8Bytes, utf8Head } from '@hephaisto/core/evidence/utf8';

const MARK_BYTES = 64;

/** Text of at most so many bytes, cut at the end of a line, with what was left out stated. */
export function capText(text: string, maxBytes: number): { readonly text: string; readonly truncated: boolean } {
  const bytes = utf8Bytes(text);
  if (bytes <= maxBytes) return { text, truncated: false };
  const head = utf8Head(text, maxBytes - MARK_BYTES);
  const line = head.lastIndexOf('\n');
  const kept = line > 0 ? head.slice(0, line) : head;
  return { text: `${kept}\n[${bytes - utf8Bytes(kept)} of ${bytes} bytes omitted]`, truncated: true };
}
