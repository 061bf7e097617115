import type { GroundedFinding } from '@hephaisto/core/finding/ground';
import type { Conclusion, InvestigationSubject, ModelNote } from '@hephaisto/core/investigation/investigator';
import type { Sql } from '@hephaisto/core/ports/database';
import type { InvestigationRun, Investigator } from '@hephaisto/core/ports/investigator';
import type { KubeReader } from '@hephaisto/core/ports/kube';
import { type Lease, LeaseLost, type RequireEpoch } from '@hephaisto/core/ports/leases';
import { BudgetUsedUp, InvestigationStopped } from '../../investigate/end.ts';
import { finishedSteps } from '../../investigate/journal.ts';
import { createRecorder, type RecordingRecorder } from '../../investigate/recorder.ts';
import type { Toolbox } from '../../investigate/toolbox.ts';
import { createAttempts } from '../attempt-log/attempts.ts';
import type { StageDeps } from '../stage.ts';
import { inTrace } from '../trace-log/in-trace.ts';
import { type Begun, beginInvestigation, endInvestigation, requeue } from './begin.ts';
import { checkClaims } from './check-claims.ts';
import { concludeInvestigation, type Ended, type Kept, keepOfStopped } from './conclude.ts';
import type { QueueBudget } from './queue.ts';
import { readSubject } from './subject.ts';

export interface InvestigateConfig {
  readonly budgetSteps: number;
  readonly deadlineMs: number;
  readonly callTimeoutMs: number;
  readonly deniedNamespaces: readonly string[];
  /** Investigations that one replica runs at the same time. */
  readonly concurrency: number;
}

export interface RunDeps extends StageDeps {
  readonly requireEpoch: RequireEpoch;
  readonly investigator: Investigator;
  readonly tools: Toolbox;
  /** Undefined for a cluster that this installation has no access to. */
  readonly readerOf: (cluster: string) => KubeReader | undefined;
}

/** Takes one investigation, under its lease, from waiting to its end. Rejects when the lease is lost or the process stops; the row stays for who comes next. */
export function runInvestigation(
  deps: RunDeps,
  config: InvestigateConfig,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  const about = { investigation: lease.key };
  return inTrace(deps, 'hephaisto.investigate', about, () => takeToItsEnd(deps, config, lease, signal));
}

async function takeToItsEnd(
  deps: RunDeps,
  config: InvestigateConfig,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  const budget = budgetOf(deps, config);
  const attempts = createAttempts(deps, 'investigation');
  const key = await incidentIdOf(deps.db, lease.key);
  const isUnreadable = (await attempts.standing([key])).get(key) === 'unreadable';
  const begun = await deps.db.transaction(async (tx) => {
    await deps.requireEpoch(tx, lease);
    const parts = { incidents: deps.incidents, newId: () => deps.ids.uuid() };
    return beginInvestigation(tx, parts, lease, budget, deps.investigator.seat, isUnreadable);
  });
  await deps.faults.hit('investigate:begun');
  if (begun.kind !== 'begun') {
    // A death stays counted for the attempt that takes over; an investigation that is over has nothing left to count.
    if (begun.kind === 'requeued') {
      await attempts.begin([key]);
      await attempts.release([key]);
    } else await attempts.end([key]);
    return;
  }
  await attempts.begin([key]);
  const { owner } = begun;
  const startedAt = deps.clock.monotonicMs();
  const standing: Standing = {};
  try {
    const outcome = await look(deps, config, begun, lease, signal, standing);
    const state = await deps.db.transaction(async (tx) => {
      await deps.requireEpoch(tx, lease);
      return concludeInvestigation(tx, () => deps.ids.uuid(), owner, outcome);
    });
    await deps.faults.hit('investigate:concluded');
    deps.metrics.count('investigations_total', { outcome: OUTCOME[state] ?? 'aborted' });
    deps.metrics.observe('investigation_duration_seconds', (deps.clock.monotonicMs() - startedAt) / 1_000);
    await attempts.end([key]);
  } catch (error: unknown) {
    // Whatever went wrong, this process lives.
    await attempts.release([key]).catch(() => undefined);
    await failed(deps, begun, lease, budget, signal, error, standing.settle);
  }
}

/** Deaths are counted by incident, since each attempt has a row of its own. */
async function incidentIdOf(sql: Sql, investigationId: string): Promise<string> {
  const [row] = await sql.query<{ id: string }>('SELECT incident_id AS id FROM investigations WHERE id = $1', [
    investigationId,
  ]);
  return row?.id ?? investigationId;
}

/** What is kept of a look that is broken off: set once its rules have concluded and somebody else goes on looking. */
interface Standing {
  conclusion?: Conclusion;
  settle?: () => Promise<Kept>;
}

type BegunRun = Extract<Begun, { kind: 'begun' }>;

export function budgetOf(deps: Pick<RunDeps, 'investigator'>, config: InvestigateConfig): QueueBudget {
  return { steps: config.budgetSteps, deadlineMs: config.deadlineMs, usd: deps.investigator.seat?.budgetUsd ?? 0 };
}

const OUTCOME: Readonly<Record<string, string>> = {
  Concluded: 'established',
  NoConclusion: 'not_established',
  BudgetExhausted: 'budget',
};

async function look(
  deps: RunDeps,
  config: InvestigateConfig,
  { owner, turn }: BegunRun,
  lease: Lease,
  signal: AbortSignal,
  standing: Standing,
): Promise<Ended> {
  const endsAtMs = deps.clock.monotonicMs() + config.deadlineMs;
  const subject = await readSubject(deps.db, owner.incidentId, deps.clock.now());
  const reader = deps.readerOf(owner.cluster);
  if (subject === undefined || reader === undefined) return withoutCluster(owner.cluster);
  const finished = await finishedSteps(deps.db, owner.investigationId);
  const deadline = new AbortController();
  const cancel = deps.timers.after(config.deadlineMs, () =>
    deadline.abort(new BudgetUsedUp('time', 'the time of the investigation is used up')),
  );
  const ended = AbortSignal.any([signal, deadline.signal]);
  const recorder = createRecorder(
    { ...deps, reader },
    {
      owner,
      lease,
      deniedNamespaces: config.deniedNamespaces,
      callTimeoutMs: config.callTimeoutMs,
      finished,
      signal: ended,
    },
  );
  try {
    const { investigationId, attempt } = owner;
    const settle = async (conclusion: Conclusion): Promise<Kept> => ({
      findings: await checkClaims(deps.db, deps.metrics, conclusion, recorder.texts),
      gaps: conclusion.gaps,
      model: conclusion.model,
    });
    const stands = (conclusion: Conclusion) => {
      standing.conclusion = conclusion;
      standing.settle = () => settle(conclusion);
    };
    const run = { investigationId, attempt, lease, endsAtMs, stands, ...(turn === undefined ? {} : { turn }) };
    const kept = await settle(await concluded(deps, subject, recorder, ended, run, standing));
    return { ...stateOf(recorder, kept.findings, kept.model), ...kept };
  } finally {
    cancel();
  }
}

/** An investigator that was cut short by its budget ends with what stood by then, be it nothing; that is an answer, too. */
async function concluded(
  deps: RunDeps,
  subject: InvestigationSubject,
  recorder: RecordingRecorder,
  signal: AbortSignal,
  run: InvestigationRun,
  standing: Standing,
): Promise<Conclusion> {
  try {
    return await deps.investigator.investigate(subject, recorder, signal, run);
  } catch (error: unknown) {
    if (!(error instanceof BudgetUsedUp)) throw error;
    recorder.markUsedUp(error.budget);
    const { conclusion } = standing;
    if (conclusion?.model === undefined) return { findings: [], gaps: [], summary: error.message };
    const model: ModelNote = {
      ...conclusion.model,
      reason: 'over-budget',
      message: error.message,
      exhausted: error.budget,
    };
    return { ...conclusion, model };
  }
}

function stateOf(
  recorder: RecordingRecorder,
  findings: readonly GroundedFinding[],
  model: ModelNote | undefined,
): Pick<Ended, 'state' | 'reason'> {
  const primary = findings.find((finding) => finding.primary);
  const usedUp = model === undefined ? recorder.usedUp() : model.exhausted;
  // Rules had read all they wanted before a model was asked: what they found does not depend on how far the model came.
  const stands = model !== undefined && primary?.rule !== undefined;
  if (usedUp !== undefined && !stands) return { state: 'BudgetExhausted', reason: `budget:${usedUp}` };
  return primary !== undefined
    ? { state: 'Concluded', reason: 'concluded' }
    : { state: 'NoConclusion', reason: 'nothing-established' };
}

function withoutCluster(cluster: string): Ended {
  return {
    state: 'NoConclusion',
    reason: 'cluster-not-configured',
    findings: [],
    model: undefined,
    gaps: [
      {
        source: 'kubernetes',
        query: `cluster ${cluster}`,
        reason: 'not-configured',
        message: `expected access to cluster \`${cluster}\`, found none configured`,
        wouldHaveTold: 'everything about the workload',
      },
    ],
  };
}

/**
 * What is left when an investigation did not end by itself. Whoever has lost the lease, or is being stopped, writes nothing: the next owner
 * finds the row as it is. A failure of the investigator itself is tried again at once under the same bound.
 */
async function failed(
  deps: RunDeps,
  { owner, executor, turnId }: BegunRun,
  lease: Lease,
  budget: QueueBudget,
  signal: AbortSignal,
  error: unknown,
  settle: Standing['settle'],
): Promise<void> {
  if ((signal.aborted && !(error instanceof InvestigationStopped)) || error instanceof LeaseLost) throw error;
  if (!(error instanceof InvestigationStopped)) deps.log.error('investigation failed', { error, ...owner });
  const kept = error instanceof InvestigationStopped ? await settle?.() : undefined;
  await deps.db.transaction(async (tx) => {
    await deps.requireEpoch(tx, lease);
    if (error instanceof InvestigationStopped) {
      await endInvestigation(tx, owner.investigationId, 'Stopped', error.message);
      if (kept !== undefined) await keepOfStopped(tx, () => deps.ids.uuid(), owner, kept);
      return;
    }
    const { investigationId: id, incidentId: incident_id, cluster, attempt } = owner;
    await requeue(
      tx,
      { incidents: deps.incidents, newId: () => deps.ids.uuid() },
      { id, incident_id, cluster, attempt, executor, turn_id: turnId },
      'investigator-failed',
      budget,
    );
  });
  await deps.faults.hit('investigate:failed');
  deps.metrics.count('investigations_total', { outcome: 'aborted' });
}
