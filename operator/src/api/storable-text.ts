import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiProblem } from './problem.ts';

/**
 * Refuses U+0000 and halves of surrogate pairs in what a request says. The database cannot keep them and they are dropped on the way, so a
 * value would be checked as one text and stored as another.
 */
export function refuseUnstorableText(app: FastifyInstance, isExempt: (request: FastifyRequest) => boolean): void {
  app.addHook('preValidation', async (request) => {
    if (isExempt(request)) return;
    for (const [part, value] of [
      ['params', request.params],
      ['querystring', request.query],
      ['body', request.body],
    ] as const)
      if (hasUnstorableText(value))
        throw new ApiProblem(
          'invalid-request',
          `expected text without U+0000 and lone surrogates, found some in the ${part}`,
        );
  });
}

/** Walks with a list of its own: how deep a body nests is the sender's choice, and a stack ends somewhere. */
export function hasUnstorableText(value: unknown): boolean {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') {
      if (next.includes('\u0000') || !next.isWellFormed()) return true;
    } else if (Array.isArray(next)) {
      for (const item of next) left.push(item);
    } else if (typeof next === 'object' && next !== null && !(next instanceof Uint8Array)) {
      for (const [key, member] of Object.entries(next)) left.push(key, member);
    }
  }
  return false;
}
