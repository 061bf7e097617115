import { none, type Plan, type PlannableFinding, planFromFindings } from '@hephaisto/core/plan/plan';
import type { PlanBounds } from '@hephaisto/core/plan/vocabulary';
import type { Sql } from '@hephaisto/core/ports/database';
import { SERVICE_PRINCIPALS } from '@hephaisto/core/principal/service';
import type { Stage, StageDeps } from '../stage.ts';
import { incidentOf, linkCause, type Unlinked, unlinked } from './cause-links.ts';
import { commitAction, commitNone } from './commit.ts';
import { type ClaimedInvestigation, claimUnplanned, findingsOf, unplanned } from './due-rows.ts';

/** Turns findings into one typed action, or into words for a person; and links incidents to the one that causes them. */
export function createPlanStage(deps: StageDeps, config: { readonly bounds: PlanBounds }): Stage {
  async function plan(id: string): Promise<boolean> {
    const done = await deps.db.transaction(async (tx) => {
      const investigation = await claimUnplanned(tx, id);
      if (investigation === undefined) return undefined;
      const findings = await findingsOf(tx, id);
      const decided = decide(investigation, findings, config.bounds);
      await commit(tx, investigation, findings, decided);
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
  ): Promise<void> {
    const newId = () => deps.ids.uuid();
    if (decided.kind === 'action') return commitAction(tx, newId, investigation, decided);
    const cause = findings.find((finding) => finding.primary)?.cause;
    const backend = cause?.kind === 'upstream' ? cause.backend : undefined;
    const causedBy = await incidentOf(tx, investigation.cluster, backend, investigation.incidentId);
    const reason = investigation.state === 'BudgetExhausted' ? 'BudgetExhausted' : decided.escalation;
    return commitNone(tx, { incidents: deps.incidents, newId }, investigation, decided, { reason, causedBy });
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
        if (await plan(id)) moved += 1;
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
function decide(investigation: ClaimedInvestigation, findings: readonly PlannableFinding[], bounds: PlanBounds): Plan {
  const plan = planFromFindings(findings, bounds);
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
