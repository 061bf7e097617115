import type { IncidentReport } from '@hephaisto/core/report/incident';
import { CertaintyWord } from '../parts/certainty.tsx';
import { Icon } from '../parts/icons.tsx';
import { sentence } from '../parts/incident-words.ts';
import { inertText } from '../parts/inert-text.ts';
import { shortStatement } from '../parts/short-statement.ts';
import { EvidenceChips } from './evidence-chips.tsx';
import { citationsOf, verdictFinding } from './evidence-places.ts';

interface VerdictProps {
  readonly report: IncidentReport;
  readonly onGaps: () => void;
  readonly onHypotheses: () => void;
}

/** The cause, how sure, what it rests on, what else was tried, and what could not be read. */
export function Verdict({ report, onGaps, onHypotheses }: VerdictProps) {
  const { verdict } = report;
  const found = verdictFinding(report);
  const cited = found === undefined ? [] : citationsOf(found.investigation, found.finding);
  return (
    <section className="panel verdict" aria-labelledby="verdict" data-field="verdict">
      <header>
        <h2 id="verdict">Verdict</h2>
        {verdict === null ? null : <CertaintyWord certainty={verdict.certainty} long />}
      </header>
      <div className="inside">
        {verdict === null ? (
          <Looking report={report} />
        ) : (
          <>
            <p className="statement wrap-any" data-field="cause" title={inertText(verdict.statement)}>
              {inertText(sentence(shortStatement(verdict.statement)))}
            </p>
            <div className="chips" data-field="evidence" data-count={verdict.evidence}>
              <EvidenceChips report={report} citations={cited} />
              {cited.length === 0 ? <span className="faint">no quotation supports it</span> : null}
              {verdict.gaps === 0 ? (
                <span className="faint small wide-only" data-field="gaps" data-count="0">
                  no gaps
                </span>
              ) : (
                <button type="button" className="chip" data-field="gaps" onClick={onGaps}>
                  <Icon name="gap" size={12} />
                  {verdict.gaps} not readable
                </button>
              )}
            </div>
            <Against report={report} onHypotheses={onHypotheses} />
          </>
        )}
      </div>
    </section>
  );
}

function Against({ report, onHypotheses }: Pick<VerdictProps, 'report' | 'onHypotheses'>) {
  if (report.alternatives.length === 0) return <p className="against faint">Nothing found against it.</p>;
  const shown = report.alternatives.slice(0, 2);
  return (
    <p className="against faint wrap-any">
      Also tested:{' '}
      {shown.map((other, index) => (
        <span key={`${other.rule} ${other.statement}`}>
          {index === 0 ? '' : '; '}
          {inertText(shortStatement(other.statement).replace(/\.$/, ''))}
          {other.dropped ? ' (dropped)' : ''}
        </span>
      ))}{' '}
      <button type="button" className="link" onClick={onHypotheses}>
        {report.alternatives.length > shown.length
          ? `and ${report.alternatives.length - shown.length} more`
          : 'see all'}
      </button>
    </p>
  );
}

/** Before there is a verdict: what is being done about it, never a blank. */
function Looking({ report }: { readonly report: IncidentReport }) {
  const [latest] = report.investigations;
  return (
    <p className="statement" data-field="cause">
      {latest === undefined || latest.endedAt !== null
        ? sentence(report.nextStep)
        : `Looking for the cause: ${latest.stepsUsed} of at most ${latest.budgetSteps} reads so far`}
    </p>
  );
}
