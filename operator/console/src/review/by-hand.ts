import type { Proposal } from '@hephaisto/core/report/action';
import type { IncidentReport } from '@hephaisto/core/report/incident';

/** What a person would type instead: the proposal's own commands, else the plan's. */
export function commandsOf(report: Pick<IncidentReport, 'currentProposal' | 'plan'>): readonly string[] {
  const own = report.currentProposal === null ? [] : byHand(report.currentProposal);
  return own.length > 0 ? own : (report.plan?.commands ?? []);
}

/** The frozen text carries the commands, so that they say what is decided and not what a newer version would do. */
function byHand(proposal: Pick<Proposal, 'canonical'>): readonly string[] {
  try {
    const content: unknown = JSON.parse(proposal.canonical);
    if (typeof content !== 'object' || content === null || !('byHand' in content)) return [];
    return Array.isArray(content.byHand) ? content.byHand.filter((line) => typeof line === 'string') : [];
  } catch {
    return [];
  }
}
