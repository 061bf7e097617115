/** The first three stages over one database, with the times a test chooses. */
import { DEFAULT_LABEL_MAPPING } from '@hephaisto/core/signal/alert-target';
import type { OwnerLookup } from '@hephaisto/operator/flow/1-ingest/resolve-owner';
import { createIngestStage } from '@hephaisto/operator/flow/1-ingest/stage';
import type { FindWorkloadsBehind } from '@hephaisto/operator/flow/1-ingest/workloads-behind';
import { createDedupeStage } from '@hephaisto/operator/flow/2-dedupe/stage';
import { createIncidentStage } from '@hephaisto/operator/flow/3-incident/stage';
import { createSweepStage } from '@hephaisto/operator/flow/3-incident/sweep';
import type { Stage } from '@hephaisto/operator/flow/stage';
import { type Received, receiveAlertmanager } from '@hephaisto/operator/sources/receive-alertmanager';
import { sha256Hex } from '@hephaisto/operator/sources/sha256';
import { drain, type QuietDeps, TEST_CLUSTER } from './stage-deps.ts';

const MINUTE = 60_000;

export const LINE_TIMES = {
  burst: 5 * MINUTE,
  correlation: 10 * MINUTE,
  recurrence: 24 * 60 * MINUTE,
  stormWindow: 5 * MINUTE,
  stormLimit: 20,
  stormCriticalReserve: 10,
  stormCalm: 10 * MINUTE,
  flapWindow: 60 * MINUTE,
  flapLimit: 3,
  flapCooldown: 240 * MINUTE,
  selfCaused: 2 * MINUTE,
  maintenance: [],
  quiet: 10 * MINUTE,
  expiry: 24 * 60 * MINUTE,
  intakeRetention: 7 * 24 * 60 * MINUTE,
  benignRetention: 24 * 60 * MINUTE,
} as const;

export interface IntakeLine {
  readonly ingest: Stage;
  readonly dedupe: Stage;
  readonly triage: Stage;
  readonly sweep: Stage;
  post(body: Uint8Array): Promise<Received>;
  /** Posts and runs everything until it rests. */
  settle(body?: Uint8Array): Promise<void>;
}

export interface LineOptions {
  readonly owners?: OwnerLookup;
  readonly behind?: FindWorkloadsBehind;
  readonly agentMode?: () => string;
  readonly times?: Partial<Record<keyof typeof LINE_TIMES, unknown>>;
}

export function intakeLine(deps: QuietDeps, options: LineOptions = {}): IntakeLine {
  const times = { ...LINE_TIMES, ...options.times } as typeof LINE_TIMES;
  const owners = options.owners ?? { ofPod: async () => ({ kind: 'unknown', message: 'not asked' }) as const };
  const ingest = createIngestStage(
    { ...deps, owners, sha256: sha256Hex, ...(options.behind === undefined ? {} : { behind: options.behind }) },
    {
      localCluster: TEST_CLUSTER,
      mapping: DEFAULT_LABEL_MAPPING,
      ownNamespaces: ['hephaisto'],
      selfLabel: 'hephaisto_self',
      attempts: 3,
    },
  );
  const dedupe = createDedupeStage({ ...deps, sha256: sha256Hex }, times);
  const agentMode = options.agentMode ?? (() => 'approve');
  const triage = createIncidentStage({ ...deps, sha256: sha256Hex, agentMode }, times);
  const sweep = createSweepStage(deps, times);
  const post = (body: Uint8Array): Promise<Received> =>
    receiveAlertmanager(
      {
        db: deps.db,
        timers: deps.timers,
        log: deps.log,
        metrics: deps.metrics,
        faults: deps.faults,
        random: () => 0.5,
      },
      { body, sender: 'test', maxBytes: 16 * 1024 * 1024 },
    );
  return {
    ingest,
    dedupe,
    triage,
    sweep,
    post,
    async settle(body) {
      if (body !== undefined) {
        const received = await post(body);
        if (received.kind !== 'stored') throw new Error(`expected the body to be stored, found ${received.kind}`);
      }
      await drain(ingest, dedupe, triage, sweep);
    },
  };
}
