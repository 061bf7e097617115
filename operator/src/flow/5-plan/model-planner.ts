import { plannerHead } from '@hephaisto/core/model/guidance';
import { headText } from '@hephaisto/core/model/head';
import { jsonSchemaOf } from '@hephaisto/core/model/json-schema';
import { findingsText } from '@hephaisto/core/model/judge-plan';
import { type ModelMessage, spokenText } from '@hephaisto/core/model/message';
import { catalogueText, plannerAnswer } from '@hephaisto/core/model/plan-answer';
import type { Sql } from '@hephaisto/core/ports/database';
import type { Lease, LeaseSubject, RequireEpoch } from '@hephaisto/core/ports/leases';
import type { ModelChannel, ModelOutcome } from '@hephaisto/core/ports/model';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import type { StageDeps } from '../stage.ts';
import { endTurn, openTurn, startTurn } from '../turn-log/turn-rows.ts';
import { findingsOf, NEEDS_PLANNER, type StoredFinding } from './due-rows.ts';

/** Runs work under a lease that is renewed until it settles; `busy` when somebody else holds it. */
export type PlanUnderLease = <T>(
  request: { readonly subject: LeaseSubject; readonly cluster: string; readonly signal: AbortSignal },
  work: (lease: Lease, signal: AbortSignal) => Promise<T>,
) => Promise<{ readonly kind: 'done'; readonly value: T } | { readonly kind: 'busy' }>;

export interface PlannerDeps extends StageDeps {
  readonly channel: ModelChannel;
  readonly requireEpoch: RequireEpoch;
  readonly underLease: PlanUnderLease;
}

export interface PlannerOptions {
  readonly maxOutputTokens: number;
  readonly withinMs: number;
  readonly admission: Readonly<Record<string, unknown>>;
}

/** What a planner said, kept with its turn so that nobody asks twice. */
export type PlannerWord =
  | { readonly kind: 'said'; readonly turnId: string; readonly text: string }
  | { readonly kind: 'silent'; readonly turnId: string; readonly reason: string; readonly message: string };

export interface ModelPlanner {
  /** Undefined: not one for a planner. `busy`: another replica is asking. */
  consider(investigationId: string, signal: AbortSignal): Promise<PlannerWord | 'busy' | undefined>;
}

interface Candidate {
  readonly incidentId: string;
  readonly cluster: string;
  readonly findings: readonly StoredFinding[];
}

/**
 * The second call, which has no tools: it sees checked findings and the catalogue and answers in the catalogue's schema. Asked only where a
 * model found the cause; what a rule found is planned without it.
 */
export function createModelPlanner(deps: PlannerDeps, options: PlannerOptions): ModelPlanner {
  const head = plannerHead(catalogueText());
  const schema = jsonSchemaOf(plannerAnswer);

  async function ask(
    candidate: Candidate,
    investigationId: string,
    lease: Lease,
    signal: AbortSignal,
  ): Promise<PlannerWord> {
    const opened = await deps.db.transaction(async (tx) => {
      await deps.requireEpoch(tx, lease);
      return begin(tx, candidate, investigationId, lease);
    });
    await deps.faults.hit('plan:turn-begun');
    if (opened.kind !== 'begun') return opened;
    const { turnId } = opened;
    const messages: readonly ModelMessage[] = [
      { role: 'user', blocks: [{ kind: 'text', text: `FINDINGS\n${findingsText(candidate.findings)}` }] },
    ];
    const earlier = (await deps.channel.journal(turnId)).at(-1);
    const outcome: ModelOutcome | undefined =
      earlier === undefined
        ? await deps.channel.call({
            turn: { turnId, investigationId, attempt: 1, lease },
            purpose: 'plan',
            request: {
              system: headText(head),
              messages,
              answer: { kind: 'json', name: 'plan', schema },
              maxOutputTokens: options.maxOutputTokens,
            },
            appended: messages,
            withinMs: options.withinMs,
            signal,
          })
        : undefined;
    const word = wordOf(turnId, outcome, earlier?.answer);
    await deps.db.transaction(async (tx) => {
      await deps.requireEpoch(tx, lease);
      await endTurn(tx, turnId, {
        status: word.kind === 'said' ? 'DONE' : 'FAILED',
        reason: word.kind === 'said' ? 'answered' : word.reason,
        outcome: word,
      });
    });
    await deps.faults.hit('plan:turn-ended');
    return word;
  }

  async function begin(
    tx: Sql,
    { cluster, incidentId }: Candidate,
    investigationId: string,
    lease: Lease,
  ): Promise<{ readonly kind: 'begun'; readonly turnId: string } | PlannerWord> {
    const turnId = await openTurn(tx, {
      id: deps.ids.uuid(),
      conversationId: deps.ids.uuid(),
      cluster,
      incidentId,
      kind: 'planner',
      requestId: investigationId,
      submittedBy: SERVICE_PRINCIPALS.planner,
    });
    const [ended] = await tx.query<{ outcome: PlannerWord | null; status: string }>(
      'SELECT outcome, status FROM turns WHERE id = $1',
      [turnId],
    );
    if (ended?.outcome) return ended.outcome;
    await startTurn(tx, turnId, { head, tools: [], admission: options.admission }, lease, options.withinMs);
    return { kind: 'begun', turnId };
  }

  return {
    async consider(investigationId, signal) {
      const candidate = await candidateOf(deps.db, investigationId);
      if (candidate === undefined) return undefined;
      const subject: LeaseSubject = { kind: 'turn', key: `plan:${investigationId}` };
      const run = await deps.underLease({ subject, cluster: candidate.cluster, signal }, (lease, leased) =>
        ask(candidate, investigationId, lease, leased),
      );
      return run.kind === 'busy' ? 'busy' : run.value;
    },
  };
}

async function candidateOf(sql: Sql, investigationId: string): Promise<Candidate | undefined> {
  const [row] = await sql.query<{ incident_id: string; cluster: string }>(
    `SELECT n.incident_id, n.cluster FROM investigations n JOIN incidents i ON i.id = n.incident_id
      WHERE n.id = $1 AND i.state = 'Investigating' AND ${NEEDS_PLANNER}`,
    [investigationId],
  );
  if (row === undefined) return undefined;
  return { incidentId: row.incident_id, cluster: row.cluster, findings: await findingsOf(sql, investigationId) };
}

function wordOf(turnId: string, outcome: ModelOutcome | undefined, journaled: ModelMessage | undefined): PlannerWord {
  if (journaled !== undefined) return { kind: 'said', turnId, text: spokenText(journaled) };
  if (outcome === undefined || outcome.kind === 'failure')
    return {
      kind: 'silent',
      turnId,
      reason: outcome?.reason ?? 'unavailable',
      message: outcome?.message ?? 'the planner was not asked',
    };
  const { answer } = outcome;
  if (answer.stop === 'refused' || answer.stop === 'malformed')
    return {
      kind: 'silent',
      turnId,
      reason: answer.stop,
      message: `the provider ended with ${answer.stopWord.slice(0, 80)}`,
    };
  return { kind: 'said', turnId, text: spokenText(answer) };
}
