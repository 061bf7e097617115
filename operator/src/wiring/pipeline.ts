import type { Config } from '@hephaisto/core/config/schema';
import type { KubeReader } from '@hephaisto/core/ports/kube';
import type { RequireEpoch } from '@hephaisto/core/ports/leases';
import { DEFAULT_LABEL_MAPPING, type LabelMapping } from '@hephaisto/core/signal/alert-target';
import type { KubeConnection } from '../adapters/kube/connection.ts';
import { createOwnerLookup } from '../adapters/kube/owner-lookup.ts';
import { createIngestStage } from '../flow/1-ingest/stage.ts';
import { createFindWorkloadsBehind } from '../flow/1-ingest/workloads-behind.ts';
import { createDedupeStage } from '../flow/2-dedupe/stage.ts';
import { createIncidentStage, type TriageConfig } from '../flow/3-incident/stage.ts';
import { createSweepStage } from '../flow/3-incident/sweep.ts';
import { createInvestigateStage, type UnderLease } from '../flow/4-investigate/stage.ts';
import { createPlanStage } from '../flow/5-plan/stage.ts';
import type { Stage, StageDeps } from '../flow/stage.ts';
import type { HttpClient } from '../http/client.ts';
import type { Toolbox } from '../investigate/toolbox.ts';
import { createNotifyStage } from '../notify/dispatcher.ts';
import { createWebhookChannel } from '../notify/webhook-channel.ts';
import { sha256Hex } from '../sources/sha256.ts';
import type { ModelParts } from './model.ts';

/** What the stages up to the plan, and those beside the line, need besides the ports that all stages have. */
export interface PipelineParts {
  readonly http: HttpClient;
  readonly config: Config;
  readonly cluster: string;
  readonly connection: KubeConnection;
  readonly reader: KubeReader;
  readonly requireEpoch: RequireEpoch;
  readonly underLease: UnderLease;
  readonly agentMode: () => Promise<string>;
  readonly random: () => number;
  readonly model: ModelParts;
  readonly tools: Toolbox;
  readonly publicUrl: () => string;
}

/** A body that failed so often will fail for ever; it is put aside and counted. */
const INTAKE_ATTEMPTS = 5;
const OWNER_TIMEOUT_MS = 2_000;
const OWNER_REST_MS = 10_000;

/** The stages from the signal to the plan, with the sweep and the messages. */
export function createPipeline(deps: StageDeps, parts: PipelineParts): readonly Stage[] {
  const { config } = parts;
  const hashing = { ...deps, sha256: sha256Hex };
  const owners = createOwnerLookup({
    connection: parts.connection,
    timeoutMs: OWNER_TIMEOUT_MS,
    restMs: OWNER_REST_MS,
    nowMs: () => deps.clock.monotonicMs(),
  });
  const behind = createFindWorkloadsBehind(parts.reader, {
    nowMs: () => deps.clock.monotonicMs(),
    restMs: OWNER_REST_MS,
  });
  return [
    createIngestStage(
      { ...hashing, owners, behind },
      {
        localCluster: parts.cluster,
        mapping: labelMapping(config.ingest.alerts),
        ownNamespaces: config.ingest.ownNamespaces,
        selfLabel: config.ingest.alerts.selfLabel,
        attempts: INTAKE_ATTEMPTS,
      },
    ),
    createDedupeStage(hashing, config.incidents),
    createIncidentStage({ ...hashing, agentMode: parts.agentMode }, triageConfig(config.incidents)),
    createInvestigateStage(
      {
        ...deps,
        requireEpoch: parts.requireEpoch,
        underLease: parts.underLease,
        investigator: parts.model.investigator,
        tools: parts.tools,
        readerOf: (cluster) => (cluster === parts.cluster ? parts.reader : undefined),
        reopen: { agentMode: parts.agentMode, pauseMs: config.investigation.againAfter },
      },
      {
        budgetSteps: config.investigation.budgetSteps,
        deadlineMs: config.investigation.deadline,
        callTimeoutMs: config.investigation.callTimeout,
        concurrency: config.investigation.concurrency,
        deniedNamespaces: config.investigation.deniedNamespaces,
      },
    ),
    createPlanStage(planDeps(deps, parts.model), {
      bounds: {
        memoryMaxBytes: config.investigation.memoryMax,
        memoryMaxFactor: config.investigation.memoryMaxFactor,
      },
    }),
    createSweepStage(deps, { ...config.incidents, ...retention(config) }),
    createNotify(deps, parts),
  ];
}

function planDeps(deps: StageDeps, { planner }: ModelParts) {
  return planner === undefined ? deps : { ...deps, planner };
}

/** The configured labels come first; the built-in names of owners are known besides. */
function labelMapping(alerts: Config['ingest']['alerts']): LabelMapping {
  return {
    cluster: alerts.clusterLabels,
    namespace: alerts.namespaceLabels,
    pod: alerts.podLabels,
    node: alerts.nodeLabels,
    owners: [...alerts.ownerLabels, ...DEFAULT_LABEL_MAPPING.owners],
  };
}

function triageConfig(incidents: Config['incidents']): TriageConfig {
  const maintenance = incidents.maintenance.map((window) => ({
    ...window,
    from: new Date(window.from),
    to: new Date(window.to),
  }));
  return { ...incidents, maintenance };
}

function retention(config: Config): { intakeRetention: number; benignRetention: number } {
  return { intakeRetention: config.ingest.intakeRetention, benignRetention: config.ingest.benignRetention };
}

function createNotify(deps: StageDeps, parts: PipelineParts): Stage {
  const { notify } = parts.config;
  const webhook = createWebhookChannel({
    http: parts.http,
    endpoints: notify.webhooks.map(({ name, url, secret }) => ({ name, url, secret })),
    publicUrl: parts.publicUrl,
    timeoutMs: notify.timeout,
    clock: deps.clock,
  });
  return createNotifyStage(
    { ...deps, channels: { webhook }, random: parts.random },
    {
      timeoutMs: notify.timeout,
      firstMs: notify.firstRetry,
      longestMs: notify.longestRetry,
      giveUpAfterMs: notify.giveUp,
      cooldownMs: notify.cooldown,
      windowMs: notify.window,
      perWindow: notify.perWindow,
    },
  );
}
