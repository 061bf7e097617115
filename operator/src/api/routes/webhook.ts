import { ACCESS } from '../access-table.ts';
import { bearerOf } from '../auth/authenticate.ts';
import { sameSecret } from '../auth/secrets.ts';
import { admit, type RouteContext } from '../define-route.ts';
import type { WebhookOutcome } from '../deps.ts';
import { ApiProblem } from '../problem.ts';

const URL = '/webhooks/alertmanager';

/**
 * The intake of alerts. Whatever may succeed later is answered 503, since the sender repeats it; 400 is only for what never can. It is
 * never limited by rate: a 429 would cost the sender a whole group interval.
 */
export function registerWebhook(context: RouteContext): void {
  const { deps } = context;
  context.app.register(async (app) => {
    // The body is stored as it came, so it is taken as text whatever it calls itself.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: deps.config.server.alertmanager.bodyLimit },
      (_request, body, done) => done(null, body),
    );
    app.post(
      URL,
      {
        schema: { hide: true },
        config: { rateLimit: false },
        preHandler: async (request) => {
          await admit(context, ACCESS['POST /webhooks/alertmanager'], request, true);
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
        const started = deps.clock.now().getTime();
        const outcome = await receive(context, typeof request.body === 'string' ? request.body : '', request.ip);
        deps.metrics.observe('webhook_request_duration_seconds', (deps.clock.now().getTime() - started) / 1000, {
          outcome: outcome.kind,
        });
        switch (outcome.kind) {
          case 'accepted':
            return reply.code(200).send({ status: 'accepted', message: outcome.message });
          case 'refused':
            throw new ApiProblem('webhook-refused', outcome.message, { details: { reason: outcome.reason } });
          case 'unavailable':
            throw new ApiProblem('store-unavailable', outcome.message, {
              headers: { 'retry-after': String(outcome.retryAfterSeconds) },
            });
        }
      },
    );
  });
}

function receive({ deps }: RouteContext, body: string, sender: string): Promise<WebhookOutcome> {
  if (deps.receiveWebhook === undefined)
    return Promise.resolve({ kind: 'unavailable', message: 'nothing receives alerts yet', retryAfterSeconds: 10 });
  return deps.receiveWebhook({ body, sender });
}
