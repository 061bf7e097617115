import type { World } from '@hephaisto/core/diagnose/case.fixture';
import type { SpendLimits } from '@hephaisto/core/model/budget';
import type { Price } from '@hephaisto/core/model/price';
import type { Timers } from '@hephaisto/core/ports/clock';
import type { Database } from '@hephaisto/core/ports/database';
import { type FaultPoints, NO_FAULTS } from '@hephaisto/core/ports/fault-points';
import type { Investigator } from '@hephaisto/core/ports/investigator';
import type { KubeReader } from '@hephaisto/core/ports/kube';
import { requireEpoch } from '@hephaisto/operator/adapters/postgres/leases';
import { type Bench, bench, CONFIG, underLease } from '@hephaisto/operator/flow/4-investigate/bench.fixture';
import type { InvestigateConfig } from '@hephaisto/operator/flow/4-investigate/run';
import { createInvestigateStage } from '@hephaisto/operator/flow/4-investigate/stage';
import { createModelPlanner } from '@hephaisto/operator/flow/5-plan/model-planner';
import { createPlanStage } from '@hephaisto/operator/flow/5-plan/stage';
import type { Stage } from '@hephaisto/operator/flow/stage';
import { createDiagnostician } from '@hephaisto/operator/investigate/diagnostician';
import type { MemoryReader } from '@hephaisto/operator/investigate/memory-reader.fixture';
import { createModelInvestigator } from '@hephaisto/operator/investigate/model/model-investigator';
import { TOOLBOX } from '@hephaisto/operator/investigate/toolbox';
import { type ChannelOptions, createModelChannel } from '@hephaisto/operator/model/channel';
import { createGeminiDialect } from '@hephaisto/operator/model/gemini/dialect';
import { createCallLedger, syncModelBudgets } from '@hephaisto/operator/model/ledger/database-ledger';
import { createOpenAiDialect } from '@hephaisto/operator/model/openai/dialect';
import { createTransport } from '@hephaisto/operator/model/transport';
import { drain, type QuietDeps } from '@hephaisto/test/stage-deps';
import { startGeminiStandIn } from '../../support/gemini-stand-in.ts';
import type { Script, StandIn } from '../../support/model-script.ts';
import { startOpenAiStandIn } from '../../support/openai-stand-in.ts';
import { QUICK, type WireName } from './channel-bench.ts';

export const PRICE: Price = { input: 1, output: 4, cacheRead: 0.25, asOf: '2026-11-01' };
export const SPEND: SpendLimits = { perTurn: 0.5, perHour: 10, perDay: 50, callsPerTurn: 20, latchFactor: 2 };
export const BOUNDS = { memoryMaxBytes: 2 ** 32, memoryMaxFactor: 4 };

export interface ModelOptions {
  readonly wire: WireName;
  readonly spend: Partial<SpendLimits>;
  readonly skipProven: boolean;
  readonly channel: Partial<ChannelOptions>;
  readonly graceMs: number;
  readonly config: Partial<InvestigateConfig>;
  readonly contextTokens: number;
}

export interface ModelParts {
  readonly investigator: Investigator;
  readonly investigate: Stage;
  readonly plan: Stage;
  close(): void;
}

/** The stages with a model behind them, on any database and reader: what `main` puts together, over a scripted server. */
export function modelParts(
  deps: QuietDeps,
  db: Database,
  reader: KubeReader,
  url: string,
  options: Partial<ModelOptions> & { readonly faults?: FaultPoints; readonly timers?: Timers } = {},
): ModelParts {
  const own = { ...deps, db, faults: options.faults ?? NO_FAULTS, timers: options.timers ?? deps.timers };
  const transport = createTransport({ maxAnswerBytes: 1_000_000 });
  const dialect =
    options.wire === 'openai'
      ? createOpenAiDialect(
          { baseUrl: `${url}/v1`, apiKey: 'k', temperature: 0.2, json: 'schema', limit: 'max_tokens' },
          transport,
        )
      : createGeminiDialect({ baseUrl: url, apiKey: 'k', temperature: 0.2 }, transport);
  const channelOptions = { ...QUICK, ...options.channel };
  const identity = { provider: dialect.provider, model: channelOptions.model, host: dialect.host };
  const limits = { ...SPEND, ...options.spend };
  const ledger = createCallLedger({ ...own, requireEpoch }, { identity, price: PRICE, limits, planUsd: 0.1 });
  const channel = createModelChannel({ ...own, dialect, ledger, random: () => 0.5 }, channelOptions);
  const investigator = createModelInvestigator(
    { ...own, channel, rules: createDiagnostician(), tools: TOOLBOX },
    {
      limits: {
        callMs: 20_000,
        graceMs: options.graceMs ?? 5_000,
        maxOutputTokens: 2_000,
        contextTokens: options.contextTokens ?? 100_000,
      },
      skipProven: options.skipProven ?? true,
      budgetUsd: limits.perTurn,
      admission: { model: channelOptions.model, price: PRICE },
      environment: '',
    },
  );
  const lease = underLease(db, own);
  return {
    investigator,
    investigate: createInvestigateStage(
      { ...own, requireEpoch, underLease: lease, investigator, tools: TOOLBOX, readerOf: () => reader },
      { ...CONFIG, ...options.config },
    ),
    plan: createPlanStage(
      {
        ...own,
        planner: createModelPlanner(
          { ...own, channel, requireEpoch, underLease: lease },
          { maxOutputTokens: 1_000, withinMs: 20_000, admission: { model: channelOptions.model } },
        ),
      },
      { bounds: BOUNDS },
    ),
    close: () => transport.close(),
  };
}

export interface ModelBench extends Bench {
  readonly standIn: StandIn;
  readonly parts: ModelParts;
  /** Another replica's parts, on a database or with faults of its own. */
  another(
    options?: Partial<ModelOptions> & {
      readonly db?: Database;
      readonly faults?: FaultPoints;
      readonly timers?: Timers;
      readonly reader?: MemoryReader;
    },
  ): ModelParts;
  /** One incident, investigated and planned to its end; its id. */
  settle(owner?: string): Promise<string>;
}

/** A world to read, a scripted model, and a fresh database. */
export async function modelBench(
  world: World,
  script: Script,
  use: (bench: ModelBench) => Promise<void>,
  options: Partial<ModelOptions> = {},
): Promise<void> {
  await bench(world, async (inner) => {
    const standIn = await (options.wire === 'openai' ? startOpenAiStandIn(script) : startGeminiStandIn(script));
    await syncModelBudgets(inner.db, { ...SPEND, ...options.spend });
    const made: ModelParts[] = [];
    const another: ModelBench['another'] = ({ db = inner.db, faults, timers, reader = inner.reader, ...over } = {}) => {
      const merged = {
        ...options,
        ...over,
        ...(faults === undefined ? {} : { faults }),
        ...(timers === undefined ? {} : { timers }),
      };
      const parts = modelParts(inner.deps, db, reader, standIn.url, merged);
      made.push(parts);
      return parts;
    };
    const parts = another();
    try {
      await use({
        ...inner,
        standIn,
        parts,
        another,
        async settle(owner) {
          const id = await inner.incident(owner);
          await drain(parts.investigate, parts.plan);
          return id;
        },
      });
    } finally {
      for (const each of made) each.close();
      await standIn.close();
    }
  });
}

export interface Looked {
  readonly id: string;
  readonly attempt: number;
  readonly state: string;
  readonly end_reason: string;
  readonly steps_used: number;
  readonly cost_usd: string;
  readonly turn_id: string;
  readonly model_note: {
    readonly looked: boolean;
    readonly reason: string;
    readonly message: string;
    readonly exhausted?: string;
  } | null;
}

export function looksAt(db: Database, incidentId: string): Promise<readonly Looked[]> {
  return db.query<Looked>('SELECT * FROM investigations WHERE incident_id = $1 ORDER BY attempt', [incidentId]);
}

export interface FoundRow {
  readonly id: string;
  readonly statement: string;
  readonly certainty: string;
  readonly rule: string | null;
  readonly is_primary: boolean;
  readonly status: string;
  readonly drop_reason: string | null;
  readonly cause: Readonly<Record<string, unknown>>;
  readonly rejections: readonly string[];
}

export function findingsAt(db: Database, incidentId: string): Promise<readonly FoundRow[]> {
  return db.query<FoundRow>(
    `SELECT f.*, ARRAY(SELECT reject_reason FROM finding_evidence WHERE finding_id = f.id AND NOT accepted ORDER BY id) AS rejections
       FROM findings f JOIN investigations n ON n.id = f.investigation_id WHERE n.incident_id = $1 ORDER BY n.attempt, f.ordinal`,
    [incidentId],
  );
}

export interface PlanRow {
  readonly producer: string;
  readonly status: string;
  readonly reject_reason: string | null;
  readonly raw: { readonly kind: string; readonly reason: string; readonly message: string };
}

export async function planAt(db: Database, incidentId: string): Promise<PlanRow | undefined> {
  const [row] = await db.query<PlanRow>('SELECT * FROM plans WHERE incident_id = $1 ORDER BY created_at DESC LIMIT 1', [
    incidentId,
  ]);
  return row;
}
