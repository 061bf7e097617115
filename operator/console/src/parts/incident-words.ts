import { escalationWords } from '@hephaisto/core/incident/escalation-words';
import type { IncidentSummary } from '@hephaisto/core/report/incident';

/** `Deployment checkout`, `node ip-10-4-2-9`, or nothing where the incident is about no object. */
export function objectName(row: Pick<IncidentSummary, 'ownerKind' | 'ownerName' | 'nodeName'>): string {
  if (row.ownerName !== null) return `${row.ownerKind ?? ''} ${row.ownerName}`.trim();
  return row.nodeName === null ? '' : `node ${row.nodeName}`;
}

/** What happens next, in words that need no manual. */
export function nextWords(
  row: Pick<IncidentSummary, 'state' | 'nextStep' | 'escalationReason' | 'assignedTo'>,
): string {
  if (row.state !== 'Escalated' || row.escalationReason === null) return sentence(row.nextStep);
  const who = row.assignedTo === null ? 'A person has to look' : `${row.assignedTo.name} has it`;
  return `${who}: ${escalationWords(row.escalationReason)}`;
}

export function sentence(text: string): string {
  return text === '' ? '' : `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;
}

/** In which order people need them: what runs out first, then how bad, then how long. */
export function byNeed(a: IncidentSummary, b: IncidentSummary): number {
  return (
    Number(b.state === 'AwaitingApproval') - Number(a.state === 'AwaitingApproval') ||
    rank(a.severity) - rank(b.severity) ||
    (a.proposal?.secondsLeft ?? Number.POSITIVE_INFINITY) - (b.proposal?.secondsLeft ?? Number.POSITIVE_INFINITY) ||
    b.number - a.number
  );
}

function rank(severity: string): number {
  return ['critical', 'warning', 'info'].indexOf(severity);
}
