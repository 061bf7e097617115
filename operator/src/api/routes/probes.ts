import type { FastifyReply } from 'fastify';
import type { RouteContext } from '../define-route.ts';
import type { ReadyCheck } from '../deps.ts';
import { STYLE } from '../reference/html.ts';
import { type OpenApiDocument, referencePage } from '../reference/reference-page.ts';

const HIDDEN = { schema: { hide: true }, config: { rateLimit: false as const } };

/** Probes of the platform, metrics, and the reference page: what is open to whoever reaches the port. `hasConsole`: somebody else serves `/`. */
export function registerProbes(context: RouteContext, hasConsole: boolean): void {
  const { app, deps } = context;
  app.get('/livez', HIDDEN, async (_request, reply) => plain(reply).send('ok\n'));
  app.get('/readyz', HIDDEN, async (request, reply) => {
    const checks = await deps.readiness();
    const ready = checks.every((check) => check.ready);
    const verbose = Object.hasOwn(request.query as object, 'verbose');
    return plain(reply)
      .code(ready ? 200 : 503)
      .send(verbose ? verboseText(checks, ready) : ready ? 'ok\n' : `not ready: ${unready(checks)}\n`);
  });
  if (deps.config.server.metricsPort === undefined) {
    app.get('/metrics', HIDDEN, async (_request, reply) => {
      const { contentType, body } = await deps.exposeMetrics();
      return reply.type(contentType).send(body);
    });
  }
  let page: string | undefined;
  app.get('/docs', HIDDEN, async (_request, reply) => {
    page ??= referencePage(app.swagger() as OpenApiDocument);
    return reply.type('text/html; charset=utf-8').send(page);
  });
  app.get('/docs/style.css', HIDDEN, async (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE));
  app.get('/api/v1/openapi.json', HIDDEN, async (_request, reply) => reply.send(app.swagger()));
  if (!hasConsole) app.get('/', HIDDEN, async (_request, reply) => reply.redirect('/docs', 302));
}

function plain(reply: FastifyReply): FastifyReply {
  return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store');
}

function unready(checks: readonly ReadyCheck[]): string {
  return checks
    .filter((check) => !check.ready)
    .map((check) => check.name)
    .join(', ');
}

function verboseText(checks: readonly ReadyCheck[], ready: boolean): string {
  const lines = checks.map((check) => `[${check.ready ? '+' : '-'}] ${check.name}: ${check.message}`);
  return `${lines.join('\n')}\n${ready ? 'ready' : 'not ready'}\n`;
}
