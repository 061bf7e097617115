import type { Config } from '@hephaisto/core/config/schema';
import type { FailureReason, ModelFailure } from '@hephaisto/core/model/failure';
import { systemClock } from '../../adapters/clock/clock.ts';
import { createPrometheusReader } from '../../adapters/prometheus/prometheus.ts';
import { createHttpClient } from '../../http/client.ts';
import { DialectError } from '../../model/dialect-error.ts';
import { openDialect } from '../../wiring/model.ts';
import { type DoctorFinding, found, missing, off } from './finding.ts';

const LOST = 'a cause that no rule knows is not found; rules look alone';
const PATIENCE_MS = 15_000;

/** Whether the configured model is there: reached through proxy and authorities as it will be, by a question that costs nothing. */
export async function checkModel(config: Config['model']): Promise<DoctorFinding> {
  const { provider, name } = config;
  if (provider === 'none' || name === undefined)
    return off(
      'model',
      'no model is configured; nothing leaves the cluster',
      LOST,
      'set model.provider, model.name, model.apiKeyFile and its price in model.prices',
    );
  try {
    const { dialect, transport } = await openDialect(provider, config);
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      await dialect.find(name, { signal, send: async () => undefined, heard: () => undefined });
      return found('model', `${dialect.host} has ${name}`);
    } finally {
      transport.close();
    }
  } catch (error: unknown) {
    return missing('model', messageOf(error), LOST, remedyOf(error, config));
  }
}

function messageOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `expected an answer within ${PATIENCE_MS / 1_000} s, found none`;
  return error instanceof Error ? error.message : String(error);
}

const REMEDIES: Readonly<Partial<Record<FailureReason, (config: Config['model']) => string>>> = {
  unauthorized: () => 'check the key in model.apiKeyFile',
  forbidden: ({ name }) => `let the key of model.apiKeyFile use ${name ?? 'the model'}`,
  invalid: () => 'check the key in model.apiKeyFile and model.name',
  'not-found': ({ name }) =>
    `check model.name (${name ?? ''}) and model.baseUrl; a server that lists no models may still answer`,
  'rate-limited': () => 'wait, or ask the provider for more',
};

function remedyOf(error: unknown, config: Config['model']): string {
  const failure: ModelFailure | undefined = error instanceof DialectError ? error.failure : undefined;
  const special = failure === undefined ? undefined : REMEDIES[failure.reason];
  return special?.(config) ?? 'check model.baseUrl, model.proxyUrl, model.caFile and the way to the provider';
}

/** Whether the Prometheus that a model may ask answers. */
export async function checkMetrics(config: Config['investigation']['prometheus']): Promise<DoctorFinding> {
  const name = 'metrics';
  const lost = 'no metrics are asked for when a cause is looked for';
  if (config.url === undefined)
    return off(name, 'no Prometheus is configured', lost, 'set investigation.prometheus.url');
  const http = createHttpClient();
  const reader = createPrometheusReader(systemClock, { http, url: config.url, timeoutMs: config.timeout });
  const answer = await reader.instant('vector(1)');
  http.close();
  if (answer.kind === 'ok') return found(name, `${config.url} answers`);
  return missing(name, answer.message, lost, `check investigation.prometheus.url (${config.url})`);
}
