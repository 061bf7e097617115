import type { IncidentReport } from '@hephaisto/core/report/incident';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useEffect } from 'react';
import type { Search } from '../api/filters.ts';
import { incidentQuery } from '../api/reads.ts';
import type { Stamped } from '../api/stamped.ts';
import { Changed } from '../incident/changed.tsx';
import { IncidentDetails, isTab, type Tab } from '../incident/details.tsx';
import { IncidentHead } from '../incident/head.tsx';
import { Impact } from '../incident/impact.tsx';
import { PhoneBar } from '../incident/phone-bar.tsx';
import { ProposalPanel } from '../incident/proposal-panel.tsx';
import { useAcknowledge } from '../incident/use-acknowledge.ts';
import { Verdict } from '../incident/verdict.tsx';
import { useCommand } from '../keys/use-keys.ts';
import { ModelPanel } from '../model/model-panel.tsx';
import { copyText } from '../parts/copy.tsx';
import { inertText } from '../parts/inert-text.ts';
import { OldData, Waiting } from '../parts/query-state.tsx';
import { commandsOf } from '../review/by-hand.ts';
import { ReviewSheet } from '../review/review-sheet.tsx';
import { usePageTitle } from '../shell/use-page-title.ts';

/** Everything about one incident; what decides first, all that explains it below. */
export function IncidentPage() {
  const { id } = useParams({ from: '/incidents/$id' });
  const incident = useQuery(incidentQuery(id));
  usePageTitle(
    incident.data === undefined ? `Incident ${id}` : `#${incident.data.value.number} ${incident.data.value.title}`,
  );
  if (incident.data === undefined)
    return (
      <>
        <h1 className="only-read">Incident</h1>
        <section className="panel">
          <Waiting query={incident} what="the incident" lines={8} />
        </section>
      </>
    );
  return (
    <>
      <OldData query={incident} />
      <Report stamped={incident.data} />
    </>
  );
}

function Report({ stamped }: { readonly stamped: Stamped<IncidentReport> }) {
  const { value: report, at } = stamped;
  const explained = useExplained();
  const search = useSearch({ strict: false });
  const navigate = useNavigate({ from: '/incidents/$id' });
  const tab: Tab = isTab(search.tab) ? search.tab : 'timeline';
  const go = (change: Record<string, string | undefined>): void => {
    void navigate({ search: (held: Search) => dropped({ ...held, ...change }), replace: true, resetScroll: false });
  };
  const show = (next: Tab): void => {
    go({ tab: next });
    document.getElementById('details')?.scrollIntoView({ block: 'start' });
  };
  const review = (mode: 'approve' | 'deny'): void => go({ review: mode === 'approve' ? '1' : 'deny' });
  const acknowledge = useAcknowledge(report);
  useCommand('evidence', () => show('evidence'));
  useCommand('timeline', () => show('timeline'));
  useCommand('hypotheses', () => show('hypotheses'));
  useCommand('acknowledge', acknowledge.run);
  useCommand('review', () => report.currentProposal !== null && review('approve'));
  useCommand('copy', () => {
    const commands = commandsOf(report);
    if (commands.length > 0) void copyText(commands.join('\n'), 'the commands');
  });
  const proposal = report.currentProposal;
  return (
    <article
      className="incident"
      data-incident={report.number}
      data-state={report.state}
      aria-label={inertText(report.title)}
    >
      <IncidentHead report={report} at={at} acknowledge={acknowledge} />
      <div className="above">
        <Verdict report={report} onGaps={() => show('evidence')} onHypotheses={() => show('hypotheses')} />
        <ProposalPanel report={report} at={at} onReview={review} />
        <Changed report={report} />
        <Impact report={report} />
      </div>
      <ModelPanel report={report} />
      {explained ? (
        <IncidentDetails report={report} at={at} tab={tab} onTab={(next) => go({ tab: next })} />
      ) : (
        <section className="panel details" id="details" aria-label="Details" aria-busy="true" />
      )}
      <PhoneBar report={report} acknowledge={acknowledge} onReview={review} />
      {search.review !== undefined && proposal !== null ? (
        <ReviewSheet
          report={report}
          proposal={proposal}
          at={at}
          denying={search.review === 'deny'}
          onClose={() => go({ review: undefined })}
        />
      ) : null}
    </article>
  );
}

let drawnBefore = false;

/**
 * Whether to draw what explains, too. At the document's first report what decides is drawn first, and the rest in the pass right behind. Later
 * ones are drawn whole: who comes back is taken to where he was in one that must be as long as it was.
 */
function useExplained(): boolean {
  const explained = useDeferredValue(true, drawnBefore);
  useEffect(() => {
    drawnBefore = true;
  }, []);
  return explained;
}

function dropped(search: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
