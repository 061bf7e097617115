import type { IncidentReport } from '@hephaisto/core/report/incident';
import { Link } from '@tanstack/react-router';
import { factsLine } from '../parts/facts.tsx';
import { Icon } from '../parts/icons.tsx';
import { inertText, plainName } from '../parts/inert-text.ts';
import { type Citation, citationsOf, placeName } from './evidence-places.ts';
import { toolWord } from './kubectl.ts';

/** Every recorded read, and what could not be read. */
export function EvidenceTab({ report }: { readonly report: IncidentReport }) {
  if (report.investigations.length === 0) return <p className="soft">Nothing has been read yet.</p>;
  return (
    <div className="stack">
      {report.investigations.map((look) => {
        const cited = look.findings.flatMap((finding) => citationsOf(look, finding));
        return (
          <section key={look.id} aria-label={`Investigation ${look.attempt}`}>
            <p className="small soft">
              Investigation {look.attempt} by {look.investigator.toLowerCase()}: {look.steps.length} of at most{' '}
              {look.budgetSteps} reads, {endWords(look)}
            </p>
            <Gaps gaps={look.gaps} />
            <ul className="steps-list">
              {look.steps.map((step) => {
                const quotes = cited.filter((each) => each.step.id === step.id);
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
                    <Quotes number={report.number} quotes={quotes} />
                  </li>
                );
              })}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

const MOST_QUOTES = 3;

/** What was taken from the read, without opening it; the same words once, whichever claims rest on them. */
function Quotes({ number, quotes }: { readonly number: number; readonly quotes: readonly Citation[] }) {
  const different = quotes.filter(
    (quote, index) => quotes.findIndex((other) => other.excerpt.trim() === quote.excerpt.trim()) === index,
  );
  if (different.length === 0) return null;
  const more = different.length - MOST_QUOTES;
  return (
    <ul className="step-quotes" data-field="quotes">
      {different.slice(0, MOST_QUOTES).map((quote) => (
        <li key={placeName(quote)}>
          <Link
            to="/incidents/$id/evidence/$step"
            params={{ id: String(number), step: quote.step.id }}
            search={{ at: placeName(quote) }}
          >
            <q>{inertText(quote.excerpt.trim())}</q>
          </Link>
        </li>
      ))}
      {more > 0 ? <li className="faint">and {more} more in the read</li> : null}
    </ul>
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
