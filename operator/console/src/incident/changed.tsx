import type { Change, IncidentReport } from '@hephaisto/core/report/incident';
import { inertText } from '../parts/inert-text.ts';
import { MarkedValue } from '../parts/marked-value.tsx';
import { Ago, At } from '../parts/time.tsx';
import { shortPath } from './short-path.ts';

const MOST = 3;

/** What changed in the workload before it went wrong, the decisive field first. */
export function Changed({ report }: { readonly report: IncidentReport }) {
  const changes = [...report.changes].sort((a, b) => Number(b.decisive) - Number(a.decisive));
  const [first] = changes;
  return (
    <section className="panel changed" aria-labelledby="changed" data-field="changed" data-count={changes.length}>
      <header>
        <h2 id="changed">
          What changed{first === undefined ? '' : <span className="soft">: {inertText(first.what)}</span>}
        </h2>
        {first?.at === null || first?.at === undefined ? null : (
          <span className="faint small">
            <span className="clock-time">
              <At instant={first.at} /> ·{' '}
            </span>
            <Ago instant={first.at} />
          </span>
        )}
      </header>
      <div className="inside">
        {first === undefined ? (
          <p className="soft">{nothingWords(report)}</p>
        ) : (
          <>
            <ul className="field-changes">
              {changes.slice(0, MOST).map((change) => (
                <FieldChange key={change.path} change={change} />
              ))}
            </ul>
            {changes.length > MOST ? (
              <details className="more">
                <summary>{changes.length - MOST} more fields</summary>
                <ul className="field-changes">
                  {changes.slice(MOST).map((change) => (
                    <FieldChange key={change.path} change={change} />
                  ))}
                </ul>
              </details>
            ) : null}
          </>
        )}
      </div>
    </section>
  );
}

function nothingWords(report: IncidentReport): string {
  if (report.verdict === null) return 'Not looked at yet.';
  return report.verdict.certainty === 'not_established'
    ? 'No change of this workload is named: no cause was established.'
    : 'No change of this workload: the cause is not a change.';
}

function FieldChange({ change }: { readonly change: Change }) {
  return (
    <li>
      <code className="path wrap-any" title={inertText(change.path)}>
        {inertText(shortPath(change.path))}
      </code>
      <span className="from-to">
        <del className="wrap-any">
          {change.from === null ? '(absent)' : <MarkedValue value={change.from} other={change.to} />}
        </del>
        <ins className="wrap-any">
          {change.to === null ? '(removed)' : <MarkedValue value={change.to} other={change.from} />}
        </ins>
        {change.decisive ? <span className="decisive">decisive</span> : null}
      </span>
    </li>
  );
}
