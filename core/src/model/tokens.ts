import { utf8Bytes } from '../evidence/utf8.ts';

/** Bytes of JSON and log text to a token. Models differ; this errs to the expensive side for what is mostly English and names. */
const BYTES_PER_TOKEN = 3.6;

/** A count made before anything is sent, for reservations and for knowing when a context is full. Billing uses the provider's. */
export function estimateTokens(text: string): number {
  return tokensOfBytes(utf8Bytes(text));
}

export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/**
 * What may be written in answer: the wanted length plus room for thinking, never more than the model can. The same number is reserved in
 * the budget and sent on the wire.
 */
export function outputReserve(wanted: number, thinkingRoom: number, modelMaximum: number): number {
  return Math.min(wanted + thinkingRoom, modelMaximum);
}
