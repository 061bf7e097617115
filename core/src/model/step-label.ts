import { callKey } from '../diagnose/tools.ts';

/**
 * The name under which a model cites a step: eight letters from what was asked, so that it is the same when an investigation is taken up
 * again by somebody else, whatever rows its steps then have.
 */
export function stepLabel(call: { readonly tool: string; readonly args: unknown }): string {
  const text = callKey(call);
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let i = 0; i < text.length; i += 1) {
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193);
    high = Math.imul(high ^ text.charCodeAt(i), 0x85ebca6b) ^ (high >>> 13);
  }
  return (letters(low >>> 0) + letters(high >>> 0)).slice(0, 8);
}

/** Four or five letters without vowels: no word comes of it by accident. */
function letters(value: number): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz';
  let text = '';
  for (let rest = value, i = 0; i < 4; i += 1, rest = Math.floor(rest / alphabet.length)) {
    text += alphabet.charAt(rest % alphabet.length);
  }
  return text;
}
