import type { IncidentReport } from '@hephaisto/core/report/incident';
import { Link } from '@tanstack/react-router';
import { factsLine } from '../parts/facts.tsx';
import { Icon } from '../parts/icons.tsx';
import { inertText, plainName } from '../parts/inert-text.ts';
import { toolWord } from './kubectl.ts';

/** Every recorded read, and what could not be read. */
export function EvidenceTab({ report }: { readonly report: IncidentReport }) {
  if (report.investigations.length === 0) return <p className="soft">Nothing has been read yet.</p>;
  return (
    <div className="stack">
      {report.investigations.map((look) => (
        <section key={look.id} aria-label={`Investigation ${look.attempt}`}>
          <p className="small soft">
            Investigation {look.attempt} by {look.investigator.toLowerCase()}: {look.steps.length} of at most{' '}
            {look.budgetSteps} reads, {endWords(look)}
          </p>
          <Gaps gaps={look.gaps} />
          <ul className="steps-list">
            {look.steps.map((step) => {
              const quotes = look.findings
                .flatMap((finding) => finding.evidence)
                .filter((each) => each.stepId === step.id && each.accepted);
              return (
                <li key={step.id} data-state={step.status}>
                  <Link
                    to="/incidents/$id/evidence/$step"
                    params={{ id: String(report.number), step: step.id }}
                    data-row
                  >
                    <b className="numbers">E{step.ordinal}</b> {toolWord(step.tool)}
                  </Link>
                  <span className="faint cut">{factsLine(step.args)}</span>
                  <span className="flags">
                    {quotes.length === 0 ? null : <span className="tag">quoted ×{quotes.length}</span>}
                    {step.truncated ? (
                      <span className="tag" data-tone="warn">
                        cut
                      </span>
                    ) : null}
                    {step.tainted ? (
                      <span className="tag" data-tone="bad">
                        gives orders
                      </span>
                    ) : null}
                    {step.status === 'ok' ? null : (
                      <span className="tag" data-tone="warn">
                        {plainName(step.status)}
                      </span>
                    )}
                  </span>
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** How it ended; the reason only where it says more than the state does. */
function endWords(look: IncidentReport['investigations'][number]): string {
  const state = plainName(look.state).toLowerCase();
  const reason = look.endReason === null ? '' : plainName(look.endReason).toLowerCase();
  return reason === '' || reason === state ? state : `${state}: ${reason}`;
}

function Gaps({ gaps }: { readonly gaps: IncidentReport['investigations'][number]['gaps'] }) {
  if (gaps.length === 0) return null;
  return (
    <ul className="gaps" data-field="gap-list">
      {gaps.map((gap) => (
        <li key={`${gap.source} ${gap.query}`} className="note" data-tone="warn">
          <Icon name="gap" size={12} /> <b>{inertText(gap.source)}</b> could not be read ({plainName(gap.reason)}):{' '}
          {inertText(gap.message)}. <span className="soft">It would have told {inertText(gap.wouldHaveTold)}.</span>
        </li>
      ))}
    </ul>
  );
}
