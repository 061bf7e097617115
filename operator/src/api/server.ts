import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import swagger from '@fastify/swagger';
import underPressure from '@fastify/under-pressure';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  serializerCompiler,
  validatorCompiler,
} from 'fastify-type-provider-zod';
import { type Access, isRouteKey } from './access-table.ts';
import { type Authenticate, createAuthenticate } from './auth/authenticate.ts';
import {
  acceptedHosts,
  judgeHost,
  judgeHostCount,
  judgeHostOrAddress,
  type OriginVerdict,
} from './auth/request-origin.ts';
import { admit, type RouteContext } from './define-route.ts';
import type { ApiDeps } from './deps.ts';
import { createDrain } from './drain.ts';
import { answerFrameworkError, registerErrors } from './errors.ts';
import { refuseUnknownParameters } from './known-parameters.ts';
import { pruneSchemas } from './openapi-prune.ts';
import { ApiProblem } from './problem.ts';
import { registerGrantRoutes } from './routes/grants.ts';
import { registerIncidentRoutes } from './routes/incidents.ts';
import { registerInstallationRoutes } from './routes/installation.ts';
import { registerInvestigationRoutes } from './routes/investigations.ts';
import { registerListRoutes } from './routes/lists.ts';
import { registerProbes } from './routes/probes.ts';
import { registerProposalRoutes } from './routes/proposals.ts';
import { registerSessionRoutes } from './routes/session.ts';
import { registerWebhook } from './routes/webhook.ts';
import { refuseUnstorableText } from './storable-text.ts';
import { createAccessCheck } from './stream/access-check.ts';
import { createStreamHub } from './stream/hub.ts';
import { registerStream } from './stream/stream.ts';

export interface ApiServer {
  /** With the port that was really taken, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly port: number;
  /** Ends streams, waits for requests under way. Idempotent. */
  close(): Promise<void>;
}

/** Paths that are asked for by an address, not a name: probes of the platform, and a sender that proves itself by its token. */
const ANY_HOST: readonly string[] = ['/livez', '/readyz', '/webhooks/alertmanager'];
/** Paths that must be answered however busy the process is. */
const ALWAYS: readonly string[] = ['/livez', '/readyz', '/metrics'];
/** Answers with what one account may read: no cache on the way may keep them. */
const UNSTORED: readonly string[] = ['/api/', '/demo/'];
/** Stopping everything is never told to wait. */
const STOP = '/api/v1/switches/emergency_stop';

function neverBuilt(): never {
  throw new Error('expected the compilers that were set, found a request for others; this is a bug in hephaisto');
}

/** The API with all its routes, not listening yet. */
export async function createApp(
  deps: ApiDeps,
): Promise<{ app: FastifyInstance; close(): Promise<void>; hostsAre(port: number): void }> {
  const app = Fastify({
    logger: false,
    trustProxy: deps.config.server.trustProxy,
    bodyLimit: deps.config.server.bodyLimit,
    requestTimeout: deps.config.server.requestTimeout,
    genReqId: () => deps.ids.uuid(),
    routerOptions: { maxParamLength: 300 },
    forceCloseConnections: true,
    frameworkErrors: answerFrameworkError,
    // Named, or the framework loads compilers of its own, which cost every start and which nothing uses.
    schemaController: { compilersFactory: { buildValidator: neverBuilt, buildSerializer: neverBuilt } },
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.decorateRequest('caller', undefined);
  const extensions = deps.extensions ?? [];
  const extra: Readonly<Record<string, Access>> = Object.assign({}, ...extensions.map(({ access }) => access));
  refuseUnlistedRoutes(app, extra);
  const drain = createDrain(app, deps.timers, isAlways);
  let hosts: ReadonlySet<string> = new Set();
  app.addHook('onRequest', async (request, reply) => {
    if (UNSTORED.some((start) => request.url.startsWith(start))) reply.header('cache-control', 'no-store');
    const verdict = hostVerdict(request, hosts);
    if (verdict.kind === 'refused') throw new ApiProblem(verdict.reason, verdict.message);
  });
  refuseUnknownParameters(app, isStop);
  refuseUnstorableText(app, isStop);
  measure(app, deps);
  registerErrors(app, deps.log);
  await app.register(cookie);
  await registerGuards(app, deps);
  await registerOpenApi(app, deps.version);
  // What a foreign form can send without asking first is not read as anything.
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 8_192 },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  const context: RouteContext = { app, deps, authenticate: authenticating(app, deps) };
  registerProbes(context, Object.hasOwn(extra, 'GET /'));
  registerSessionRoutes(context);
  registerGrantRoutes(context);
  registerIncidentRoutes(context);
  registerInvestigationRoutes(context);
  registerProposalRoutes(context);
  registerListRoutes(context);
  registerInstallationRoutes(context);
  registerWebhook(context);
  for (const extension of extensions) {
    await extension.register(app, async (key, request) => {
      const access = extra[key];
      if (access === undefined)
        throw new Error(`expected an entry in the access table for ${key}, found none; this is a bug in hephaisto`);
      return admit(context, access, request, !key.startsWith('GET '));
    });
  }
  const hub = await createStreamHub({
    db: deps.db,
    timers: deps.timers,
    log: deps.log,
    checkAccess: createAccessCheck(deps.db, deps.config.auth.sessionIdle, context.authenticate),
  });
  const streams = registerStream(context, hub);
  await app.ready();
  let closing: Promise<void> | undefined;
  return {
    app,
    hostsAre(port) {
      hosts = acceptedHosts(deps.config.server, port);
    },
    close() {
      closing ??= (async () => {
        streams.closeAll();
        await drain.begin();
        await app.close();
        await hub.close();
      })();
      return closing;
    },
  };
}

/** Listens as configured. Rejects with the system's error, e.g. `EADDRINUSE`, when the port cannot be had. */
export async function startApi(deps: ApiDeps): Promise<ApiServer> {
  const { app, close, hostsAre } = await createApp(deps);
  try {
    await app.listen({ host: deps.config.server.host, port: deps.config.server.port });
  } catch (error: unknown) {
    await close();
    throw error;
  }
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : deps.config.server.port;
  hostsAre(port);
  const host = deps.config.server.host.includes(':') ? `[${deps.config.server.host}]` : deps.config.server.host;
  return { url: `http://${host}:${port}`, port, close };
}

/** A route without an entry in the access table stops the start: open by mistake is the worse failure. */
function refuseUnlistedRoutes(app: FastifyInstance, extra: Readonly<Record<string, Access>>): void {
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) {
      if (method === 'HEAD' || method === 'OPTIONS') continue;
      const key = `${method} ${route.url}`;
      if (!isRouteKey(key) && !Object.hasOwn(extra, key))
        throw new Error(`expected an entry in the access table for ${key}, found none; this is a bug in hephaisto`);
    }
  });
}

/** What must be answered however busy the process is, or on its way out. */
function isAlways(request: FastifyRequest): boolean {
  return ALWAYS.includes(pathOf(request)) || isStop(request);
}

function isStop(request: FastifyRequest): boolean {
  return request.method === 'PUT' && pathOf(request) === STOP;
}

function hostVerdict(request: FastifyRequest, hosts: ReadonlySet<string>): OriginVerdict {
  const count = judgeHostCount(request.raw.rawHeaders);
  if (count.kind === 'refused') return count;
  const path = pathOf(request);
  if (ANY_HOST.includes(path)) return { kind: 'accepted' };
  const { host } = request.headers;
  return path === '/metrics' ? judgeHostOrAddress(host, hosts) : judgeHost(host, hosts);
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

function measure(app: FastifyInstance, deps: ApiDeps): void {
  app.addHook('onResponse', async (request, reply) => {
    deps.metrics.observe('http_request_duration_seconds', reply.elapsedTime / 1000, {
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: String(reply.statusCode),
    });
  });
}

async function registerGuards(app: FastifyInstance, deps: ApiDeps): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // Without a referrer a browser sends `Origin: null` with our own form, which could not be told from another site's.
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: deps.config.server.publicUrl?.startsWith('https:') === true,
  });
  await app.register(underPressure, {
    maxEventLoopDelay: deps.config.server.maxEventLoopDelay,
    // A sample without a single tick counts as endless delay, so a sample must be as long as the delay that is too much.
    sampleInterval: deps.config.server.maxEventLoopDelay,
    pressureHandler: (request) => {
      if (isAlways(request)) return;
      throw new ApiProblem('overloaded', 'too busy to answer in time; try again', { headers: { 'retry-after': '5' } });
    },
  });
  await app.register(rateLimit, {
    global: true,
    hook: 'preHandler',
    max: deps.config.server.requestsPerMinute,
    timeWindow: 60_000,
    allowList: isStop,
    keyGenerator: (request) => request.caller?.subject ?? request.ip,
    errorResponseBuilder: (_request, limit) =>
      new ApiProblem('rate-limited', `expected at most ${limit.max} requests a minute, found more`, {
        headers: { 'retry-after': String(Math.ceil(limit.ttl / 1000)) },
      }),
  });
}

/**
 * Who is not recognised has as many tries a minute from one address as a person has requests. Sessions and tokens that we know stay good
 * whatever a neighbour behind the same address does; only the cluster is no longer asked about unknown ones.
 */
function authenticating(app: FastifyInstance, deps: ApiDeps): Authenticate {
  const tries = app.createRateLimit({
    max: deps.config.server.requestsPerMinute,
    timeWindow: 60_000,
    keyGenerator: (request) => `stranger ${request.ip}`,
  });
  async function count(request: FastifyRequest, increment: boolean): Promise<void> {
    const verdict = await tries(request, { increment });
    if (!verdict.isAllowed && verdict.isExceeded)
      throw new ApiProblem('rate-limited', `expected at most ${verdict.max} unknown callers a minute, found more`, {
        headers: { 'retry-after': String(verdict.ttlInSeconds) },
      });
  }
  const authenticate = createAuthenticate(deps, (request) => count(request, false));
  return async (request) => {
    const caller = await authenticate(request);
    const shown = request.headers.authorization !== undefined || request.headers.cookie !== undefined;
    if (caller === undefined && shown) await count(request, true);
    return caller;
  };
}

async function registerOpenApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Hephaisto',
        description: 'What happened, why, what is proposed, and the decisions of people.',
        version,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'hephaisto_session',
            description:
              'Whatever writes also needs the header X-CSRF-Token with the csrfToken of GET /api/v1/session; a bearer token needs none.',
          },
          bearer: { type: 'http', scheme: 'bearer' },
        },
      },
    },
    transform: jsonSchemaTransform,
    transformObject: (document) => {
      const whole = jsonSchemaTransformObject(document);
      return pruneSchemas({ ...whole }) as typeof whole;
    },
  });
}
