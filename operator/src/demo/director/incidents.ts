import type { IncidentReport, IncidentSummary } from '@hephaisto/core/report/incident';
import type { Page } from '@hephaisto/core/report/named';
import type { Signal } from '@hephaisto/core/report/signal';
import type { PersonClient } from './person.ts';
import { type SeenBenign, type SeenIncident, seenIncident } from './seen.ts';

const PAGE = 200;

/** Every incident of a namespace, whole, oldest first. */
export async function incidentsOf(person: PersonClient, namespace: string): Promise<readonly SeenIncident[]> {
  const query = new URLSearchParams({ namespace, limit: String(PAGE) });
  const page = await person.get<Page<IncidentSummary>>(`/api/v1/incidents?${query}`);
  const reports = await Promise.all(
    page.items.map((item) => person.get<IncidentReport>(`/api/v1/incidents/${item.id}`)),
  );
  return reports.map(seenIncident).toSorted((a, b) => a.number - b.number);
}

/** Signals of a namespace, and of no namespace, that opened nothing. */
export async function benignOf(person: PersonClient, namespace: string): Promise<readonly SeenBenign[]> {
  const signals: Signal[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = new URLSearchParams({
      disposition: 'benign',
      limit: String(PAGE),
      ...(cursor === '' ? {} : { cursor }),
    });
    const page: Page<Signal> = await person.get<Page<Signal>>(`/api/v1/signals?${query}`);
    signals.push(...page.items);
    cursor = page.next;
  }
  return signals.filter((signal) => signal.namespace === null || signal.namespace === namespace).map(benign);
}

function benign(signal: Signal): SeenBenign {
  const owner = signal.ownerKind === null ? [] : [`${signal.ownerKind}/${signal.ownerName}`];
  const node = signal.nodeName === null ? [] : [`Node/${signal.nodeName}`];
  const alert = signal.labels.alertname === undefined ? [] : [signal.labels.alertname];
  return {
    source: signal.source === 'alertmanager' ? 'alertmanager' : 'watch',
    about: [...owner, ...node, ...alert, ...signal.ownerChain],
    why: signal.dispositionReason ?? '',
  };
}
