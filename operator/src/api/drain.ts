import type { Timers } from '@hephaisto/core/ports/clock';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiProblem } from './problem.ts';

/** How long a stop waits for requests under way; what takes longer is cut off. */
const PATIENCE_MS = 3_000;

/** What whoever comes too late is told. */
export function shuttingDown(): ApiProblem {
  return new ApiProblem('shutting-down', 'the server is stopping; try again in a moment', {
    headers: { 'retry-after': '1', connection: 'close' },
  });
}

export interface Drain {
  /** Refuses what comes from now on and resolves when nothing is under way any more, or has been for too long. */
  begin(): Promise<void>;
}

/**
 * Lets requests under way end before the server closes their connections: whoever has just voted should hear that the vote counts. New
 * requests are told to come back, except those that must be answered always.
 */
export function createDrain(
  app: FastifyInstance,
  timers: Timers,
  isExempt: (request: FastifyRequest) => boolean,
): Drain {
  let draining = false;
  let underWay = 0;
  let emptied = (): void => undefined;
  app.addHook('onRequest', async (request, reply) => {
    if (draining && !isExempt(request)) throw shuttingDown();
    underWay += 1;
    reply.raw.once('close', () => {
      underWay -= 1;
      if (underWay === 0) emptied();
    });
  });
  return {
    begin() {
      draining = true;
      return new Promise((resolve) => {
        const cancel = timers.after(PATIENCE_MS, resolve);
        emptied = () => {
          cancel();
          resolve();
        };
        if (underWay === 0) emptied();
      });
    },
  };
}
