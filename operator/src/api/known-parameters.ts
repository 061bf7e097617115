import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiProblem } from './problem.ts';

/** Where programs ask. Pages and probes are asked for with whatever a mail program or a platform appends, and lose nothing by it. */
const STRICT: readonly string[] = ['/api/', '/demo/'];

/**
 * Refuses what a route does not know in a query. A filter that is spelled wrong would otherwise be no filter, and a list that says nothing
 * of it answers another question than was asked; a command would be carried out without what was meant to hold it back.
 */
export function refuseUnknownParameters(app: FastifyInstance, isExempt: (request: FastifyRequest) => boolean): void {
  app.addHook('preValidation', async (request) => {
    const { url, schema } = request.routeOptions;
    if (url === undefined || !STRICT.some((start) => url.startsWith(start)) || isExempt(request)) return;
    const known = schema?.querystring instanceof z.ZodObject ? Object.keys(schema.querystring.shape) : [];
    const unknown = Object.keys(request.query as object).filter((name) => !known.includes(name));
    if (unknown.length === 0) return;
    const named = unknown.slice(0, 10).map((name) => name.slice(0, 100));
    const expected = known.length === 0 ? 'no parameters' : `only the parameters ${known.join(', ')}`;
    throw new ApiProblem('unknown-parameter', `expected ${expected}, found \`${named.join('`, `')}\``, {
      details: { unknown: named, known },
    });
  });
}
