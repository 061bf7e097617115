import type { IncidentReport } from '@hephaisto/core/report/incident';
import { CertaintyWord } from '../parts/certainty.tsx';
import { FactPairs } from '../parts/facts.tsx';
import { sentence } from '../parts/incident-words.ts';
import { inertText, plainName } from '../parts/inert-text.ts';
import { EvidenceChips } from './evidence-chips.tsx';
import { citationsOf } from './evidence-places.ts';

/** Each claim with what supports it; dropped ones stay, marked, so that nobody asks twice. */
export function HypothesesTab({ report }: { readonly report: IncidentReport }) {
  const [latest] = report.investigations;
  if (latest === undefined || latest.findings.length === 0)
    return <p className="soft">No explanation has been put forward yet.</p>;
  return (
    <ul className="hypotheses">
      {latest.findings.map((finding) => {
        const refused = finding.evidence.filter((evidence) => !evidence.accepted);
        return (
          <li key={finding.id} data-state={finding.status} data-primary={finding.primary}>
            <p className="line">
              <CertaintyWord certainty={finding.certainty} />
              {finding.primary ? <span className="tag">the verdict</span> : null}
              {finding.status === 'dropped' ? (
                <span className="tag" data-tone="bad">
                  dropped: {plainName(finding.dropReason ?? 'no reason')}
                </span>
              ) : null}
              <span className="faint">
                {finding.category}
                {finding.rule === null ? '' : ` · rule ${finding.rule}`}
              </span>
            </p>
            <p className="wrap-any">{inertText(sentence(finding.statement))}</p>
            <div className="chips">
              <EvidenceChips report={report} citations={citationsOf(latest, finding)} />
              {refused.length === 0 ? null : (
                <span className="faint">
                  {refused.length} quotation{refused.length === 1 ? '' : 's'} refused:{' '}
                  {refused.map((each) => plainName(each.rejectReason ?? '')).join(', ')}
                </span>
              )}
            </div>
            <details className="more">
              <summary>As data</summary>
              <FactPairs facts={finding.cause} />
            </details>
          </li>
        );
      })}
    </ul>
  );
}
