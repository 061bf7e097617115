import { StoreUnavailable } from '@hephaisto/core/ports/database';
import type { Logger } from '@hephaisto/core/ports/telemetry';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { ApiProblem, PROBLEM_TYPE, problemBody } from './problem.ts';

/** Makes every failure a problem document, whatever threw it, and tells nobody outside what went wrong inside. */
export function registerErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((error: FastifyError | Error, request, reply) => {
    const problem = asProblem(error);
    if (problem.status >= 500)
      log.error('request failed', {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url,
        error,
      });
    return reply
      .code(problem.status)
      .headers({ ...problem.headers })
      .type(PROBLEM_TYPE)
      .send(problemBody(problem, request.id));
  });
  app.setNotFoundHandler((request, reply) => {
    const problem = new ApiProblem(
      'not-found',
      `expected a known path, found \`${request.method} ${request.url.slice(0, 200)}\``,
    );
    return reply.code(404).type(PROBLEM_TYPE).send(problemBody(problem, request.id));
  });
}

/** Answers what the framework refuses before it has found a route, such as a path that cannot be decoded. */
export function answerFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const problem = asProblem(error);
  reply
    .header('cache-control', 'no-store')
    .code(problem.status)
    .type(PROBLEM_TYPE)
    .send(problemBody(problem, request.id));
}

/** What the framework itself refuses, by its code. */
const FRAMEWORK: Readonly<
  Record<string, 'body-too-large' | 'unsupported-media-type' | 'malformed-body' | 'invalid-request'>
> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed-body',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed-body',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed-body',
  FST_ERR_BAD_URL: 'invalid-request',
};

function asProblem(error: FastifyError | Error): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (error instanceof StoreUnavailable)
    return new ApiProblem('store-unavailable', 'the database does not answer; try again', {
      headers: { 'retry-after': '5' },
    });
  if (hasZodFastifySchemaValidationErrors(error)) {
    const fields = error.validation.map((issue) => ({ path: issue.instancePath, message: issue.message }));
    return new ApiProblem(
      'invalid-request',
      fields
        .map((f) => `${f.path || '/'}: ${f.message}`)
        .join('; ')
        .slice(0, 500),
      {
        details: { in: error.validationContext, fields },
      },
    );
  }
  const code = 'code' in error ? FRAMEWORK[error.code] : undefined;
  if (code !== undefined) return new ApiProblem(code, error.message.slice(0, 300));
  // What serves files says so of paths that lead out of their folder or to none in it.
  if ('statusCode' in error && (error.statusCode === 403 || error.statusCode === 404))
    return new ApiProblem('not-found', 'expected a path of this server, found another');
  if ('statusCode' in error && error.statusCode === 400)
    return new ApiProblem('malformed-body', error.message.slice(0, 300));
  if (error instanceof SyntaxError) return new ApiProblem('malformed-body', 'expected JSON, found text that is none');
  return new ApiProblem('internal', 'something went wrong here; the instance names it in the log');
}
