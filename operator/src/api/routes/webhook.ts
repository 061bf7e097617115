import type { Received } from '../../sources/receive-alertmanager.ts';
import { ACCESS } from '../access-table.ts';
import { bearerOf } from '../auth/authenticate.ts';
import { sameSecret } from '../auth/secrets.ts';
import { admit, type RouteContext, traceparentOf } from '../define-route.ts';
import { ApiProblem } from '../problem.ts';

const PATH = '/webhooks/alertmanager';
const MIB = 1024 * 1024;

/**
 * The intake of alerts. Whatever may succeed later is answered 503, since the sender repeats it; 400 is only for what never can. It is
 * never limited by rate: a 429 would cost the sender a whole group interval.
 */
export function registerWebhook(context: RouteContext): void {
  const { deps } = context;
  context.app.register(async (app) => {
    // The body is stored as it came, so it is taken as bytes whatever it calls itself. Somewhat more than is accepted is read, so that the
    // sender is told what to change instead of losing its connection.
    const limits = { parseAs: 'buffer', bodyLimit: deps.config.ingest.alerts.maxBodyMib * 2 * MIB } as const;
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', limits, (_request, body, done) => done(null, body));
    app.post(
      PATH,
      {
        schema: { hide: true },
        config: { rateLimit: false },
        preHandler: async (request) => {
          await admit(context, ACCESS[`POST ${PATH}`], request, true);
        },
        onRequest: async (request) => {
          const token = bearerOf(request);
          if (deps.webhookToken !== undefined && token !== undefined && sameSecret(token, deps.webhookToken)) return;
          deps.metrics.count('alerts_received_total', { source: 'alertmanager', outcome: 'unauthenticated' });
          throw new ApiProblem(
            'unauthenticated',
            'expected the bearer token of server.alertmanager, found another or none',
            {
              headers: { 'www-authenticate': 'Bearer' },
            },
          );
        },
      },
      async (request, reply) => {
        const started = deps.clock.monotonicMs();
        const traceparent = traceparentOf(request);
        const attributes = { 'http.request.method': 'POST', 'http.route': PATH };
        const received = await deps.tracer.span(
          `POST ${PATH}`,
          attributes,
          () => receive(context, request.body, request.ip, deps.tracer.current() ?? traceparent),
          { parent: traceparent },
        );
        const seconds = (deps.clock.monotonicMs() - started) / 1000;
        deps.metrics.observe('webhook_request_duration_seconds', seconds, { outcome: received.kind });
        if (received.kind !== 'stored') throw refusalOf(received);
        return reply.code(200).send({ status: 'stored', id: received.id, alerts: received.alerts });
      },
    );
  });
}

function receive(
  { deps }: RouteContext,
  body: unknown,
  sender: string,
  traceparent: string | undefined,
): Promise<Received> {
  if (deps.receiveWebhook === undefined)
    return Promise.resolve({ kind: 'unavailable', message: 'nothing receives alerts yet', retryAfterSeconds: 10 });
  return deps.receiveWebhook({ body: body instanceof Uint8Array ? body : new Uint8Array(), sender, traceparent });
}

function refusalOf(received: Exclude<Received, { kind: 'stored' }>): ApiProblem {
  if (received.kind === 'unavailable')
    return new ApiProblem('store-unavailable', received.message, {
      headers: { 'retry-after': String(received.retryAfterSeconds) },
    });
  const code = received.status === 413 ? 'body-too-large' : 'webhook-refused';
  return new ApiProblem(code, received.message, { details: { reason: received.reason } });
}
