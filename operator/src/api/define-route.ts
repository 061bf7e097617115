import { type Caller, judgeAccess, judgeAccessAnywhere } from '@hephaisto/core/principal/access';
import { Problem } from '@hephaisto/core/report/problem';
import { readTraceparent, writeTraceparent } from '@hephaisto/core/signal/traceparent';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ACCESS, type Access, type RouteKey } from './access-table.ts';
import { type Authenticate, type Authenticated, requireCsrf } from './auth/authenticate.ts';
import { judgeOrigin } from './auth/request-origin.ts';
import type { ApiDeps } from './deps.ts';
import { type Answer, onceForKey } from './idempotency.ts';
import { ApiProblem, PROBLEM_TYPE, problemBody } from './problem.ts';

/** What a route is given: input that fits its schemas, and who asks. */
export interface Call<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Present on every route that needs an account. */
  readonly caller: Authenticated;
  readonly request: FastifyRequest;
}

export interface RouteSpec<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Body of the success. */
  readonly answer: z.ZodType;
  /** Whether the request may say which version it has seen. */
  readonly ifMatch?: true;
  /** The answer holds a secret, so it is kept for no Idempotency-Key: the database must not be able to give it away. */
  readonly secretAnswer?: true;
  /** Default 200. */
  readonly status?: 200 | 201;
  handle(call: Call<z.output<P>, z.output<Q>, z.output<B>>): Promise<Answer>;
}

/** What all routes share. */
export interface RouteContext {
  readonly app: FastifyInstance;
  readonly deps: ApiDeps;
  readonly authenticate: Authenticate;
}

const IDEMPOTENCY_KEY = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .meta({ description: 'The same key and request give the same answer, once carried out' });

const HEADERS = z.object({ 'idempotency-key': IDEMPOTENCY_KEY });
const HEADERS_WITH_VERSION = HEADERS.extend({
  'if-match': z.string().max(50).optional().meta({ description: 'ETag of the version that was seen' }),
});

/** What any route may answer instead of what it is for. */
export const REFUSALS = {
  '4xx': { description: 'Refused; see `code`', content: { 'application/problem+json': { schema: Problem } } },
  '5xx': { description: 'Our side; see `code`', content: { 'application/problem+json': { schema: Problem } } },
} as const;

/** Registers one JSON route of the API with its access, its checks for browsers, its idempotency and its documentation. */
export function defineRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  context: RouteContext,
  key: RouteKey,
  spec: RouteSpec<P, Q, B>,
): void {
  const [method = '', url = ''] = key.split(' ');
  const access: Access = ACCESS[key];
  const writes = method !== 'GET';
  context.app.route({
    method,
    url,
    schema: {
      summary: spec.summary,
      ...(spec.description === undefined ? {} : { description: spec.description }),
      tags: [spec.tag],
      ...(access.kind === 'role' || access.kind === 'signed-in' ? { security: [{ session: [] }, { bearer: [] }] } : {}),
      ...(spec.params === undefined ? {} : { params: spec.params }),
      ...(spec.query === undefined ? {} : { querystring: spec.query }),
      ...(spec.body === undefined ? {} : { body: spec.body }),
      ...(writes ? { headers: spec.ifMatch === true ? HEADERS_WITH_VERSION : HEADERS } : {}),
      response: {
        [spec.status ?? 200]: spec.answer,
        ...REFUSALS,
      },
    },
    // Before the body is read: a stranger learns nothing about schemas and cannot make the server parse anything.
    onRequest: async (request) => {
      request.caller = await admit(context, access, request, writes);
    },
    handler: async (request, reply) => {
      const call = {
        params: request.params,
        query: request.query,
        body: request.body,
        caller: request.caller,
        request,
      } as Call<z.output<P>, z.output<Q>, z.output<B>>;
      const attributes = { 'http.request.method': method, 'http.route': url };
      const answer = await context.deps.tracer.span(
        `${method} ${url}`,
        attributes,
        () => answered(context, request, writes && spec.secretAnswer !== true, () => spec.handle(call)),
        { parent: traceparentOf(request) },
      );
      return send(reply, answer);
    },
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Authenticated | undefined;
  }
}

/** The caller's place in its own trace, where it names one that can be read. */
export function traceparentOf(request: FastifyRequest): string | undefined {
  const position = readTraceparent(request.headers.traceparent);
  return position === undefined ? undefined : writeTraceparent(position);
}

/** Who calls, or the refusal. Also used by the routes that do not speak JSON. */
export async function admit(
  context: Pick<RouteContext, 'deps' | 'authenticate'>,
  access: Access,
  request: FastifyRequest,
  writes: boolean,
): Promise<Authenticated | undefined> {
  if (writes && access.kind !== 'webhook') requireOwnPage(request);
  if (access.kind !== 'role' && access.kind !== 'signed-in') return undefined;
  const caller = await context.authenticate(request);
  if (caller === undefined)
    throw new ApiProblem(
      'unauthenticated',
      'expected a session or a bearer token, found none that is valid; sign in again',
    );
  if (access.kind === 'role') requireHeld(caller, access);
  if (writes) requireCsrf(request, caller);
  return caller;
}

function requireHeld(caller: Caller, access: Extract<Access, { kind: 'role' }>): void {
  const verdict =
    access.scope === 'anywhere'
      ? judgeAccessAnywhere(caller, access.role)
      : judgeAccess(caller, access.role, undefined);
  if (verdict.kind === 'refused')
    throw new ApiProblem('role-missing', verdict.message, { details: { needed: access.role } });
}

export function requireOwnPage(request: FastifyRequest): void {
  const verdict = judgeOrigin({
    origin: request.headers.origin,
    host: request.headers.host,
    fetchSite: headerText(request.headers['sec-fetch-site']),
  });
  if (verdict.kind === 'refused') throw new ApiProblem(verdict.reason, verdict.message);
}

export function headerText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

async function answered(
  context: RouteContext,
  request: FastifyRequest,
  keeps: boolean,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const key = headerText(request.headers['idempotency-key']);
  if (!keeps || key === undefined || request.caller === undefined) return work();
  const { answer, replayed } = await onceForKey(
    context.deps.db,
    { principal: request.caller.subject, key, method: request.method, path: request.url, body: request.body },
    () => settledRefusal(request, work),
  );
  return replayed ? { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } } : answer;
}

/** A refusal is an answer too: the same request again must not be refused for another reason. */
async function settledRefusal(request: FastifyRequest, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error: unknown) {
    if (error instanceof ApiProblem && error.status < 500)
      return { status: error.status, body: problemBody(error, request.id), headers: error.headers };
    throw error;
  }
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status).headers({ ...answer.headers });
  if (answer.status >= 400) reply.type(PROBLEM_TYPE);
  return reply.send(answer.body);
}
