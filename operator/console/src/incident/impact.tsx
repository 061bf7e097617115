import type { IncidentReport } from '@hephaisto/core/report/incident';
import { ReadinessChart } from '../pictures/readiness-chart.tsx';
import { measure } from './measured.ts';

/** How bad, in numbers first, then over time. */
export function Impact({ report }: { readonly report: IncidentReport }) {
  const measured = measure(report);
  return (
    <section
      className="panel impact"
      aria-labelledby="impact"
      data-field="impact"
      data-state={measured === undefined ? 'unmeasured' : 'measured'}
    >
      <header>
        <h2 id="impact">Impact</h2>
        {measured === undefined ? null : (
          <span className="numbers impact-numbers">
            <span data-field="ready">
              ready <b>{measured.now.ready}</b>/{measured.now.desired}
            </span>
            {measured.lowest.ready < measured.now.ready ? (
              <span className="faint">
                lowest {measured.lowest.ready}/{measured.lowest.desired}
              </span>
            ) : null}
            <span data-field="restarts">
              restarts <b>+{measured.restarts}</b>
            </span>
          </span>
        )}
      </header>
      <div className="inside">
        {measured === undefined ? (
          <p className="soft">
            {report.ownerName === null
              ? 'Readiness is recorded for workloads; this is about none.'
              : 'Readiness and restarts of the workload were not recorded.'}
          </p>
        ) : (
          <>
            <ReadinessChart report={report} />
            {measured.around === undefined ? null : (
              <p className="small soft before-after" data-field="before-after">
                <span>
                  Before the action:{' '}
                  <b className="numbers">
                    {measured.around.before.ready}/{measured.around.before.desired}
                  </b>{' '}
                  ready, <b className="numbers">+{measured.around.restartsBefore}</b> restarts
                </span>
                <span>
                  After:{' '}
                  <b className="numbers">
                    {measured.around.after.ready}/{measured.around.after.desired}
                  </b>{' '}
                  ready, <b className="numbers">+{measured.around.restartsAfter}</b> restarts
                </span>
              </p>
            )}
          </>
        )}
      </div>
    </section>
  );
}
