import type { IncidentReport } from '@hephaisto/core/report/incident';
import { useEffect, useRef } from 'react';
import { ActionsTab } from './actions-tab.tsx';
import { EvidenceTab } from './evidence-tab.tsx';
import { HypothesesTab } from './hypotheses-tab.tsx';
import { MessagesTab, RawTab, SignalsTab } from './small-tabs.tsx';
import { TimelineTab } from './timeline-tab.tsx';

export const TABS = ['timeline', 'evidence', 'hypotheses', 'actions', 'signals', 'messages', 'raw'] as const;
export type Tab = (typeof TABS)[number];

export function isTab(text: string | undefined): text is Tab {
  return (TABS as readonly (string | undefined)[]).includes(text);
}

interface DetailsProps {
  readonly report: IncidentReport;
  readonly at: number;
  readonly tab: Tab;
  readonly onTab: (tab: Tab) => void;
}

/** Everything that explains what stands above. */
export function IncidentDetails({ report, at, tab, onTab }: DetailsProps) {
  const onKeys = (event: React.KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length] ?? tab;
    onTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  const strip = useRef<HTMLDivElement>(null);
  useEffect(() => showWithin(strip.current, document.getElementById(`tab-${tab}`)), [tab]);
  return (
    <section className="panel details" id="details" aria-label="Details">
      <div ref={strip} className="tabs" role="tablist" aria-label="Details" onKeyDown={onKeys}>
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={tab === name}
            aria-controls="tab-panel"
            tabIndex={tab === name ? 0 : -1}
            onClick={() => onTab(name)}
          >
            {name === 'raw' ? 'Raw JSON' : `${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`}
            <Count value={countOf(report, name)} />
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id="tab-panel"
        aria-labelledby={`tab-${tab}`}
        className="tab-panel"
        data-field={`tab-${tab}`}
      >
        {tab === 'timeline' ? <TimelineTab report={report} /> : null}
        {tab === 'evidence' ? <EvidenceTab report={report} /> : null}
        {tab === 'hypotheses' ? <HypothesesTab report={report} /> : null}
        {tab === 'actions' ? <ActionsTab report={report} at={at} /> : null}
        {tab === 'signals' ? <SignalsTab report={report} /> : null}
        {tab === 'messages' ? <MessagesTab report={report} /> : null}
        {tab === 'raw' ? <RawTab report={report} /> : null}
      </div>
    </section>
  );
}

/** Moves the strip alone, and only when the tab is cut off: the page itself must stay where its reader is. */
function showWithin(strip: HTMLElement | null, tab: HTMLElement | null): void {
  if (strip === null || tab === null) return;
  const [outer, inner] = [strip.getBoundingClientRect(), tab.getBoundingClientRect()];
  if (inner.left < outer.left) strip.scrollLeft -= outer.left - inner.left;
  else if (inner.right > outer.right) strip.scrollLeft += inner.right - outer.right;
}

function Count({ value }: { readonly value: number | undefined }) {
  return value === undefined ? null : <span className="faint numbers"> {value}</span>;
}

function countOf(report: IncidentReport, tab: Tab): number | undefined {
  switch (tab) {
    case 'evidence':
      return report.investigations.reduce((sum, each) => sum + each.steps.length, 0);
    case 'hypotheses':
      return report.investigations[0]?.findings.length ?? 0;
    case 'actions':
      return report.actions.length;
    case 'signals':
      return report.signals.length;
    case 'messages':
      return report.notifications.length;
    case 'timeline':
    case 'raw':
      return undefined;
  }
}
