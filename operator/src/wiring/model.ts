import { readFile } from 'node:fs/promises';
import type { Config } from '@hephaisto/core/config/schema';
import type { SpendLimits } from '@hephaisto/core/model/budget';
import type { Price } from '@hephaisto/core/model/price';
import type { Clock } from '@hephaisto/core/ports/clock';
import type { Investigator } from '@hephaisto/core/ports/investigator';
import type { RequireEpoch } from '@hephaisto/core/ports/leases';
import type { ModelChannel } from '@hephaisto/core/ports/model';
import type { ModelDialect } from '@hephaisto/core/ports/model-dialect';
import { createAlertReader } from '../adapters/alerts/alert-list.ts';
import { createPrometheusReader } from '../adapters/prometheus/prometheus.ts';
import type { UnderLease } from '../flow/4-investigate/stage.ts';
import { createModelPlanner, type ModelPlanner } from '../flow/5-plan/model-planner.ts';
import type { StageDeps } from '../flow/stage.ts';
import type { HttpClient } from '../http/client.ts';
import { confinedAlerting, confinedMetrics } from '../investigate/confined-sources.ts';
import { createDiagnostician } from '../investigate/diagnostician.ts';
import { createModelInvestigator } from '../investigate/model/model-investigator.ts';
import { toolboxWith } from '../investigate/telemetry-tools.ts';
import type { Toolbox } from '../investigate/toolbox.ts';
import { createModelChannel } from '../model/channel.ts';
import { createCallLedger, syncModelBudgets } from '../model/ledger/database-ledger.ts';
import { createTransport, type Transport } from '../model/transport.ts';

/** Twice the hourly limit: more than what calls under way can explain. */
const LATCH_FACTOR = 2;
const BREAKER = { failures: 5, openMs: 60_000 };
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const PLAN_TOKENS = 2_048;

export interface ModelPartsDeps extends StageDeps {
  readonly requireEpoch: RequireEpoch;
  readonly underLease: UnderLease;
  readonly random: () => number;
  readonly tools: Toolbox;
  /** How long rules wait for pods to show how they are; 0: not at all. */
  readonly settleMs: number;
}

/** Who investigates and plans, and what must be closed with them. */
export interface ModelParts {
  readonly investigator: Investigator;
  readonly planner?: ModelPlanner;
  readonly channel?: ModelChannel;
  close(): void;
}

/** The tools of whoever investigates: the cluster's, and those of what is configured beside it. */
export function openTools(clock: Clock, http: HttpClient, config: Config): Toolbox {
  const { url, timeout } = config.investigation.prometheus;
  const { alertmanager } = config.acting;
  const token = alertmanager.token === undefined ? {} : { token: alertmanager.token };
  const { deniedNamespaces: closed } = config.investigation;
  const metrics = url === undefined ? undefined : createPrometheusReader(clock, { http, url, timeoutMs: timeout });
  const alerting =
    alertmanager.url === undefined
      ? undefined
      : createAlertReader({ http, url: alertmanager.url, timeoutMs: alertmanager.timeout, ...token });
  return toolboxWith({
    ...(metrics && { metrics: confinedMetrics(metrics, closed) }),
    ...(alerting && { alerting: confinedAlerting(alerting, closed, config.ingest.alerts.namespaceLabels) }),
  });
}

/** The configured model behind the rules, or rules alone. The SDK of a provider is loaded only where it is used. */
export async function openModel(deps: ModelPartsDeps, config: Config['model'], cluster: string): Promise<ModelParts> {
  const { provider, name } = config;
  const rules = createDiagnostician(deps.settleMs === 0 ? undefined : { ...deps, withinMs: deps.settleMs });
  const price = config.prices.find((candidate) => candidate.model === name);
  if (provider === 'none' || name === undefined || price === undefined)
    return { investigator: rules, close: () => undefined };
  const { dialect, transport } = await openDialect(provider, config);
  const limits = spendLimits(config);
  await syncModelBudgets(deps.db, limits);
  const channel = openChannel(deps, config, name, price, dialect, limits);
  const admission = { provider, model: name, price, limits };
  return {
    channel,
    investigator: createModelInvestigator(
      { ...deps, channel, rules },
      {
        limits: {
          callMs: config.callTimeout,
          graceMs: config.graceTime,
          maxOutputTokens: config.maxOutputTokens,
          contextTokens: config.contextTokens,
        },
        skipProven: config.skipProven,
        budgetUsd: config.usdPerInvestigation,
        admission,
        environment: `The cluster is ${cluster}.`,
      },
    ),
    planner: createModelPlanner(
      { ...deps, channel },
      { maxOutputTokens: Math.min(PLAN_TOKENS, config.maxOutputTokens), withinMs: config.callTimeout, admission },
    ),
    close: () => transport.close(),
  };
}

/** The provider's wire over connections as they are configured; the transport must be closed. */
export async function openDialect(
  provider: Provider,
  config: Config['model'],
): Promise<{ readonly dialect: ModelDialect; readonly transport: Transport }> {
  const ca = config.caFile === undefined ? undefined : await readFile(config.caFile, 'utf8');
  const transport = createTransport({
    maxAnswerBytes: config.maxAnswerBytes,
    ...(config.proxyUrl === undefined ? {} : { proxyUrl: config.proxyUrl }),
    ...(ca === undefined ? {} : { ca }),
  });
  return { dialect: await DIALECTS[provider](config, transport), transport };
}

function spendLimits(config: Config['model']): SpendLimits {
  return {
    perTurn: config.usdPerInvestigation,
    perHour: config.usdPerHour,
    perDay: config.usdPerDay,
    callsPerTurn: config.callsPerInvestigation,
    latchFactor: LATCH_FACTOR,
  };
}

function openChannel(
  deps: ModelPartsDeps,
  config: Config['model'],
  model: string,
  price: Price,
  dialect: ModelDialect,
  limits: SpendLimits,
): ModelChannel {
  const identity = { provider: dialect.provider, model, host: dialect.host };
  const ledger = createCallLedger(deps, { identity, price, limits, planUsd: config.usdPerPlan });
  return createModelChannel(
    { ...deps, dialect, ledger },
    {
      model,
      stall: { firstByteMs: config.firstByteTimeout, idleMs: config.idleTimeout },
      retry: { tries: config.tries, firstMs: FIRST_WAIT_MS, longestMs: LONGEST_WAIT_MS },
      breaker: BREAKER,
      modelMaximum: config.modelMaxOutputTokens,
    },
  );
}

type Provider = Exclude<Config['model']['provider'], 'none'>;

/** One entry a provider: a further one is a folder and a line here. */
const DIALECTS: Readonly<Record<Provider, (config: Config['model'], transport: Transport) => Promise<ModelDialect>>> = {
  gemini: (config, transport) => gemini(config, transport, 'https://generativelanguage.googleapis.com'),
  vertex: (config, transport) => {
    const { location = 'global' } = config;
    const host = location === 'global' ? 'aiplatform.googleapis.com' : `${location}-aiplatform.googleapis.com`;
    return gemini(config, transport, `https://${host}`, { project: config.project ?? '', location });
  },
  openai: async (config, transport) => {
    const { createOpenAiDialect } = await import('../model/openai/dialect.ts');
    const { apiKey, baseUrl, temperature, jsonMode: json } = config;
    return createOpenAiDialect(
      {
        baseUrl: baseUrl ?? 'https://api.openai.com/v1',
        ...(apiKey === undefined ? {} : { apiKey }),
        temperature,
        json,
        limit: baseUrl === undefined ? 'max_completion_tokens' : 'max_tokens',
      },
      transport,
    );
  },
};

async function gemini(
  config: Config['model'],
  transport: Transport,
  address: string,
  vertex?: { readonly project: string; readonly location: string },
): Promise<ModelDialect> {
  const { createGeminiDialect } = await import('../model/gemini/dialect.ts');
  const { apiKey, temperature, thinkingBudget } = config;
  return createGeminiDialect(
    {
      baseUrl: config.baseUrl ?? address,
      temperature,
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(thinkingBudget === undefined ? {} : { thinkingBudget }),
      ...(vertex === undefined ? {} : { vertex }),
    },
    transport,
  );
}
