import type { ToolDefinition } from './message.ts';

/** The head of a conversation: named slots in a fixed order. Names never reach the wire. */
export interface PromptHead {
  readonly slots: readonly { readonly name: string; readonly text: string }[];
}

/** The system text: the slots' texts in their order. */
export function headText(head: PromptHead): string {
  return head.slots.map((slot) => slot.text).join('\n\n');
}

/** What must stay the same for a provider's cache to serve: the head and the palette, in the order in which it reads them. */
export function headIdentity(head: PromptHead, tools: readonly ToolDefinition[]): string {
  return JSON.stringify({ slots: head.slots, tools });
}

/** Length of the common beginning, in bytes. */
export function sharedPrefix(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length);
  let i = 0;
  while (i < most && a[i] === b[i]) i += 1;
  return i;
}
