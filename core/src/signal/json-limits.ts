import { finish, type Steps } from '../steps.ts';

/** Characters that are read at one go. */
const CHARACTERS_PER_STEP = 1_048_576;

export type DepthVerdict =
  | { readonly kind: 'shallow' }
  | { readonly kind: 'too-deep'; readonly reason: 'too-deep'; readonly message: string };

/**
 * Whether JSON text nests at most `limit` deep, found by one pass over the text: whatever walks the parsed value afterwards may recurse
 * without asking. Says nothing about whether the text is JSON.
 */
export function judgeDepth(text: string, limit: number): DepthVerdict {
  return finish(judgeDepthInSteps(text, limit));
}

/** The same in steps: a body of 15 MB takes tens of milliseconds. */
export function* judgeDepthInSteps(text: string, limit: number): Steps<DepthVerdict> {
  let depth = 0;
  let inText = false;
  let pause = CHARACTERS_PER_STEP;
  for (let at = 0; at < text.length; at += 1) {
    if (at >= pause) {
      pause += CHARACTERS_PER_STEP;
      yield;
    }
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) inText = false;
    } else if (code === 0x22) inText = true;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > limit) {
        return {
          kind: 'too-deep',
          reason: 'too-deep',
          message: `expected JSON nested at most ${limit} deep, found more; send the standard webhook payload`,
        };
      }
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return { kind: 'shallow' };
}
