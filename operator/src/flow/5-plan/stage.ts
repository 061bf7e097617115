import { judgePlan } from '@hephaisto/core/model/judge-plan';
import { none, type Plan, type PlannableFinding, planFromFindings } from '@hephaisto/core/plan/plan';
import type { PlanBounds } from '@hephaisto/core/plan/vocabulary';
import type { Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import { createAttempts, unreadableMessage } from '../attempt-log/attempts.ts';
import type { Stage, StageDeps } from '../stage.ts';
import { inTrace } from '../trace-log/in-trace.ts';
import { incidentOf, linkCause, type Unlinked, unlinked } from './cause-links.ts';
import { commitAction, commitNone, type PlanProducer } from './commit.ts';
import { type ClaimedInvestigation, claimUnplanned, findingsOf, unplanned } from './due-rows.ts';
import type { ModelPlanner, PlannerWord } from './model-planner.ts';

const BATCH_SIZE = 20;

/** Planner questions that one replica has open at the same time. */
const PLANNER_CONCURRENCY = 4;

/** While a planner is asked, how soon an investigation that needs none gets its plan. */
const CHECK_WHILE_ASKING_MS = 500;

/** Turns findings into one typed action, or into words for a person; and links incidents to the one that causes them. */
export function createPlanStage(
  deps: StageDeps & { readonly planner?: ModelPlanner },
  config: { readonly bounds: PlanBounds },
): Stage {
  const attempts = createAttempts(deps, 'plan');
  /** Questions to the planner that wait for their answer. */
  const asking = new Map<string, Promise<void>>();

  async function askAndPlan(id: string, signal: AbortSignal): Promise<boolean> {
    const word = await deps.planner?.consider(id, signal);
    return word === 'busy' ? false : planWith(id, word);
  }

  function planWith(id: string, word: PlannerWord | undefined): Promise<boolean> {
    return planBy(id, word, (investigation, findings) => decide(investigation, findings, config.bounds, word));
  }

  function giveUp(id: string): Promise<boolean> {
    deps.log.error('planning ended its processes and is given up', { investigation: id });
    return planBy(id, undefined, () => none('unreadable', unreadableMessage('plan', 'planning')));
  }

  async function planBy(
    id: string,
    word: PlannerWord | undefined,
    deciding: (investigation: ClaimedInvestigation, findings: readonly PlannableFinding[]) => Plan,
  ): Promise<boolean> {
    const done = await deps.db.transaction(async (tx) => {
      const investigation = await claimUnplanned(tx, id);
      if (investigation === undefined) return undefined;
      const findings = await findingsOf(tx, id);
      const decided = deciding(investigation, findings);
      await commit(tx, investigation, findings, decided, producerOf(word));
      return decided;
    });
    await deps.faults.hit('plan:committed');
    if (done !== undefined) deps.metrics.count('plans_total', { outcome: done.kind, reason: done.reason });
    return done !== undefined;
  }

  async function commit(
    tx: Sql,
    investigation: ClaimedInvestigation,
    findings: readonly PlannableFinding[],
    decided: Plan,
    producer: PlanProducer,
  ): Promise<void> {
    const newId = () => deps.ids.uuid();
    if (decided.kind === 'action') return commitAction(tx, newId, investigation, decided, producer);
    const cause = findings.find((finding) => finding.primary)?.cause;
    const backend = cause?.kind === 'upstream' ? cause.backend : undefined;
    const causedBy = await incidentOf(tx, investigation.cluster, backend, investigation.incidentId);
    const reason = investigation.state === 'BudgetExhausted' ? 'BudgetExhausted' : decided.escalation;
    return commitNone(tx, { incidents: deps.incidents, newId }, investigation, decided, { reason, causedBy }, producer);
  }

  async function link(wanted: Unlinked): Promise<boolean> {
    const linked = await deps.db.transaction(async (tx) => {
      if (!(await linkCause(tx, wanted))) return false;
      await deps.incidents.note(tx, {
        incidentId: wanted.id,
        kind: 'note',
        reason: 'cause-linked',
        actor: SERVICE_PRINCIPALS.planner,
        origin: 'core',
        data: { causedBy: wanted.cause },
      });
      return true;
    });
    await deps.faults.hit('plan:linked');
    return linked;
  }

  /** Plans made by rules are made here and now. Questions to a model are only begun: a provider may take minutes to answer. */
  async function planDue(round: Round, signal: AbortSignal): Promise<void> {
    const besides = [...asking.keys(), ...round.tried];
    for (const { id, needsPlanner } of await unplanned(deps.db, besides, BATCH_SIZE)) {
      if (signal.aborted) return;
      if (!needsPlanner || deps.planner === undefined) {
        await attempt(id, round, () => planWith(id, undefined));
      } else if (asking.size < PLANNER_CONCURRENCY) {
        const asked = attempt(id, round, () => askAndPlan(id, signal)).finally(() => asking.delete(id));
        asking.set(id, asked);
      }
    }
  }

  /** Writes down that the plan is begun, since reading findings and a model's answer may end the process. */
  async function counted(id: string, work: () => Promise<boolean>): Promise<boolean> {
    const standing = (await attempts.standing([id])).get(id) ?? 'free';
    if (standing === 'busy') return false;
    if (standing === 'unreadable') {
      const made = await giveUp(id);
      await attempts.end([id]);
      return made;
    }
    await attempts.begin([id]);
    try {
      const made = await work();
      await attempts.end([id]);
      return made;
    } catch (error: unknown) {
      await attempts.release([id]).catch(() => undefined);
      throw error;
    }
  }

  /** Never rejects: one plan that cannot be made must not keep the others from being made. */
  async function attempt(id: string, round: Round, work: () => Promise<boolean>): Promise<void> {
    try {
      const made = await inTrace(deps, 'hephaisto.plan', { investigation: id }, () => counted(id, work));
      if (made) round.moved += 1;
      else round.tried.add(id);
      round.failures.delete(id);
    } catch (error: unknown) {
      round.tried.add(id);
      round.failures.set(id, error);
      // The pass fails only at its end, which may be minutes away while a planner is asked.
      if (asking.size > 0) deps.log.warn('a plan could not be made', { investigation: id, error });
    }
  }

  async function linkDue(round: Round, signal: AbortSignal): Promise<void> {
    for (const wanted of await unlinked(deps.db, BATCH_SIZE)) {
      if (signal.aborted) return;
      if (await link(wanted)) round.moved += 1;
    }
  }

  return {
    name: 'plan',
    pollMs: 1_000,
    async pass(signal) {
      const round: Round = { moved: 0, tried: new Set(), failures: new Map() };
      await planDue(round, signal);
      await linkDue(round, signal);
      while (asking.size > 0) {
        const pause = new AbortController();
        const sleep = deps.timers.sleep(CHECK_WHILE_ASKING_MS, pause.signal).catch(() => undefined);
        await Promise.race([...asking.values(), sleep]);
        pause.abort();
        if (signal.aborted) continue;
        round.tried.clear();
        await planDue(round, signal);
        await linkDue(round, signal);
      }
      for (const error of round.failures.values()) throw error;
      return round.moved;
    },
  };
}

/** One pass of the stage. `tried`: failed, or asked by another replica, and not to be tried again at once. */
interface Round {
  moved: number;
  readonly tried: Set<string>;
  readonly failures: Map<string, unknown>;
}

/** A look that was cut short proposes nothing: what it did not get to read might have spoken against it. */
function decide(
  investigation: ClaimedInvestigation,
  findings: readonly PlannableFinding[],
  bounds: PlanBounds,
  word: PlannerWord | undefined,
): Plan {
  const plan = wanted(findings, bounds, word);
  if (investigation.state !== 'BudgetExhausted' || plan.kind === 'none') return plan;
  return none(
    'no-finding',
    `the investigation ended early (${investigation.endReason ?? 'budget'}); would have proposed: ${plan.message}`,
    {
      findings: plan.citedFindings,
      commands: plan.commands,
    },
  );
}

/**
 * What is proposed before it is known how the investigation ended. A planner that was cut off proposes nothing; one that could not be asked
 * leaves it to the rule that every cause has, whose values are readings and never the model's word.
 */
function wanted(findings: readonly PlannableFinding[], bounds: PlanBounds, word: PlannerWord | undefined): Plan {
  if (word?.kind === 'said') return judgePlan(word.text, findings, bounds);
  const plan = planFromFindings(findings, bounds);
  if (word === undefined || (word.reason !== 'truncated' && word.reason !== 'refused')) return plan;
  const reason = word.reason === 'truncated' ? 'planner-truncated' : 'planner-chose-none';
  return none(reason, word.message, { findings: plan.citedFindings, commands: plan.commands });
}

function producerOf(word: PlannerWord | undefined): PlanProducer {
  return word?.kind === 'said' ? { kind: 'planner', turnId: word.turnId } : { kind: 'rules' };
}
