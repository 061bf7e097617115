import { asRecord } from '@hephaisto/core/facts/raw';
import type { Database } from '@hephaisto/core/ports/database';
import type { KubeReader } from '@hephaisto/core/ports/kube';
import { openKubeConnection } from '../../adapters/kube/connection.ts';
import { createKubeReader } from '../../adapters/kube/reader.ts';
import { createLeases, requireEpoch } from '../../adapters/postgres/leases.ts';
import { createInvestigateStage, type UnderLease } from '../../flow/4-investigate/stage.ts';
import { createPlanStage } from '../../flow/5-plan/stage.ts';
import type { Stage, StageDeps } from '../../flow/stage.ts';
import { TOOLBOX } from '../../investigate/toolbox.ts';
import { CLAIM_TIMES, createUnderLease } from '../../wiring/held-lease.ts';
import type { ModelParts } from '../../wiring/model.ts';
import { ADMIN } from '../cluster/simulated-cluster.ts';
import { createPace } from '../pace.ts';
import type { ExpectedIncident } from '../stories/expected.ts';
import { playStory, type StoryRun, startSimulatedWorld } from '../stories/simulated-world.ts';
import type { Story, WorldStep } from '../stories/story.ts';
import { playTimeline } from '../stories/world-player.ts';
import { EVAL_CLUSTER, openForEval } from './incident.ts';
import { type Score, type Seen, scoreOf } from './score.ts';

/** One investigator's answer to one incident of one story. */
export interface EvalRow extends Score {
  readonly story: string;
  readonly incident: string;
  readonly investigator: string;
  readonly certainty: string;
  readonly said: string;
  readonly ungrounded: number;
  readonly steps: number;
  readonly calls: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly seconds: number;
  /** Why no model concluded, where one was there to be asked. */
  readonly note: string;
}

export interface EvalInvestigator {
  readonly name: string;
  /** Built once the database is there. */
  open(deps: StageDeps, underLease: UnderLease): Promise<ModelParts>;
}

export interface EvalOptions {
  readonly deps: StageDeps;
  readonly stories: readonly Story[];
  readonly investigators: readonly EvalInvestigator[];
  readonly onProgress: (message: string) => void;
  readonly onRow: (row: EvalRow) => void;
}

const PACE = 12;
/** Some faults come a fixed time after the start: few worlds at once, so that a busy machine gets them all up within it. */
const BESIDE_ONE_ANOTHER = 4;
const BOUNDS = { memoryMaxBytes: 2 ** 32, memoryMaxFactor: 4 };

/** Plays the stories' worlds and puts each of their faults to each investigator, through the stages that run in production. */
export async function runEval(options: EvalOptions): Promise<readonly EvalRow[]> {
  const { deps, onProgress } = options;
  const pace = createPace(PACE);
  const world = await startSimulatedWorld({ pace, ids: deps.ids, random: Math.random, onTrouble: () => undefined });
  const kubeconfigYaml = world.cluster.kubeconfigFor({ ...ADMIN, username: 'investigator' });
  const connection = await openKubeConnection({ kubeconfigYaml, defaultTimeoutMs: 10_000, log: deps.log });
  const runs: StoryRun[] = [];
  const rows: EvalRow[] = [];
  try {
    for (let first = 0; first < options.stories.length; first += BESIDE_ONE_ANOTHER) {
      const together = options.stories.slice(first, first + BESIDE_ONE_ANOTHER);
      onProgress(`playing ${together.map(({ id }) => id).join(', ')}`);
      const started = await Promise.all(
        together.map((story) => playStory({ ...world, pace }, story, namespaceOf(story))),
      );
      runs.push(...started);
      await Promise.all(started.map((run, index) => settled(run, together[index])));
    }
    const reader = createKubeReader(connection);
    for (const investigator of options.investigators) rows.push(...(await putTo(options, investigator, reader)));
    return rows;
  } finally {
    await Promise.all(runs.map((run) => run.stop()));
    connection.close();
    await world.close();
  }
}

/**
 * The world as it is when the story's last word on the cause is told: with what somebody does in it meanwhile. Between two such steps some of
 * the story's time passes, as it does while the first is being judged.
 */
async function settled(run: StoryRun, story: Story | undefined): Promise<void> {
  await run.played;
  for (const act of story?.director ?? [])
    if (act.act === 'in-the-world') await playTimeline(run.context, [act.step, MEANWHILE]);
}

const MEANWHILE: WorldStep = { do: 'wait', note: 'a while passes', seconds: 30 };

export function namespaceOf(story: Pick<Story, 'id'>): string {
  return `eval-${story.id}`;
}

async function putTo(options: EvalOptions, investigator: EvalInvestigator, reader: KubeReader): Promise<EvalRow[]> {
  const { deps } = options;
  const leases = createLeases(deps.db);
  const holder = { pod: 'eval', bootId: 'eval' };
  const underLease = createUnderLease({ ...deps, leases, holder }, CLAIM_TIMES);
  const parts = await investigator.open(deps, underLease);
  const stages = stagesOf(deps, parts, underLease, reader);
  const rows: EvalRow[] = [];
  try {
    for (const story of options.stories) {
      for (const expected of story.expected.incidents) {
        options.onProgress(`${investigator.name}: ${story.id}/${expected.key}`);
        const row = await askOne(deps, stages, investigator.name, story, expected);
        rows.push(row);
        options.onRow(row);
      }
    }
    return rows;
  } finally {
    parts.close();
  }
}

function stagesOf(deps: StageDeps, parts: ModelParts, underLease: UnderLease, reader: KubeReader): readonly Stage[] {
  const { investigator, planner } = parts;
  return [
    createInvestigateStage(
      { ...deps, requireEpoch, underLease, investigator, tools: TOOLBOX, readerOf: () => reader },
      { budgetSteps: 25, deadlineMs: 600_000, callTimeoutMs: 10_000, deniedNamespaces: [], concurrency: 1 },
    ),
    createPlanStage(planner === undefined ? deps : { ...deps, planner }, { bounds: BOUNDS }),
  ];
}

async function askOne(
  deps: StageDeps,
  stages: readonly Stage[],
  investigator: string,
  story: Story,
  expected: ExpectedIncident,
): Promise<EvalRow> {
  const { db } = deps;
  const begun = deps.clock.now().getTime();
  const id = await openForEval(db, deps.incidents, expected, namespaceOf(story), deps.clock.now());
  for (let moved = 1; moved > 0; ) {
    moved = 0;
    for (const stage of stages) moved += await stage.pass(new AbortController().signal);
  }
  const seconds = (deps.clock.now().getTime() - begun) / 1_000;
  const { seen, said } = await seenOf(db, id);
  return {
    story: story.id,
    incident: expected.key,
    investigator,
    ...scoreOf(seen, expected),
    certainty: seen.certainty ?? 'not_established',
    said,
    ungrounded: seen.ungrounded,
    seconds,
    ...(await costOf(db, id)),
  };
}

async function seenOf(db: Database, id: string): Promise<{ readonly seen: Seen; readonly said: string }> {
  const [finding] = await db.query<{
    cause: unknown;
    certainty: string;
    statement: string;
    excerpts: readonly string[];
  }>(
    `SELECT f.cause, f.certainty, f.statement, ARRAY(SELECT excerpt FROM finding_evidence WHERE finding_id = f.id AND accepted) AS excerpts
       FROM findings f JOIN investigations n ON n.id = f.investigation_id WHERE n.incident_id = $1 AND f.is_primary`,
    [id],
  );
  const [action] = await db.query<{ type: string; params: unknown }>(
    'SELECT type, params FROM actions WHERE incident_id = $1 AND cluster = $2',
    [id, EVAL_CLUSTER],
  );
  const [dropped] = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM findings f JOIN investigations n ON n.id = f.investigation_id
      WHERE n.incident_id = $1 AND f.status = 'dropped'`,
    [id],
  );
  return {
    said: finding?.statement ?? '',
    seen: {
      cause: finding === undefined ? undefined : asRecord(finding.cause),
      certainty: finding?.certainty,
      excerpts: finding?.excerpts ?? [],
      action: action === undefined ? undefined : { type: action.type, params: asRecord(action.params) },
      ungrounded: dropped?.count ?? 0,
    },
  };
}

async function costOf(
  db: Database,
  id: string,
): Promise<Pick<EvalRow, 'steps' | 'calls' | 'tokens' | 'costUsd' | 'note'>> {
  const [row] = await db.query<{ steps: number; calls: number; tokens: number; cost: number; note: string | null }>(
    `SELECT n.steps_used AS steps, n.model_note->>'reason' AS note, count(u.id)::int AS calls,
            coalesce(sum(u.input_tokens + u.output_tokens), 0)::int AS tokens, coalesce(sum(u.cost_usd), 0)::float8 AS cost
       FROM investigations n LEFT JOIN llm_usage u ON u.investigation_id = n.id WHERE n.incident_id = $1 GROUP BY n.id`,
    [id],
  );
  return {
    steps: row?.steps ?? 0,
    calls: row?.calls ?? 0,
    tokens: row?.tokens ?? 0,
    costUsd: row?.cost ?? 0,
    note: row?.note ?? '',
  };
}
