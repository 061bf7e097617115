import { judgePlan } from '@hephaisto/core/model/judge-plan';
import { none, type Plan, type PlannableFinding, planFromFindings } from '@hephaisto/core/plan/plan';
import type { PlanBounds } from '@hephaisto/core/plan/vocabulary';
import type { Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import type { Stage, StageDeps } from '../stage.ts';
import { inTrace } from '../trace-log/in-trace.ts';
import { incidentOf, linkCause, type Unlinked, unlinked } from './cause-links.ts';
import { commitAction, commitNone, type PlanProducer } from './commit.ts';
import { type ClaimedInvestigation, claimUnplanned, findingsOf, unplanned } from './due-rows.ts';
import type { ModelPlanner, PlannerWord } from './model-planner.ts';

/** Turns findings into one typed action, or into words for a person; and links incidents to the one that causes them. */
export function createPlanStage(
  deps: StageDeps & { readonly planner?: ModelPlanner },
  config: { readonly bounds: PlanBounds },
): Stage {
  async function plan(id: string, signal: AbortSignal): Promise<boolean> {
    const word = await deps.planner?.consider(id, signal);
    if (word === 'busy') return false;
    const done = await deps.db.transaction(async (tx) => {
      const investigation = await claimUnplanned(tx, id);
      if (investigation === undefined) return undefined;
      const findings = await findingsOf(tx, id);
      const decided = decide(investigation, findings, config.bounds, word);
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

  return {
    name: 'plan',
    pollMs: 1_000,
    async pass(signal) {
      let moved = 0;
      for (const id of await unplanned(deps.db, 20)) {
        if (signal.aborted) return moved;
        if (await inTrace(deps, 'hephaisto.plan', { investigation: id }, () => plan(id, signal))) moved += 1;
      }
      for (const wanted of await unlinked(deps.db, 20)) {
        if (signal.aborted) return moved;
        if (await link(wanted)) moved += 1;
      }
      return moved;
    },
  };
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
