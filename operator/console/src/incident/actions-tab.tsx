import type { IncidentReport } from '@hephaisto/core/report/incident';
import { Link } from '@tanstack/react-router';
import { objectName } from '../parts/incident-words.ts';
import { inertText } from '../parts/inert-text.ts';
import { ActionCard } from './action-card.tsx';

const MONTH_MS = 30 * 86_400_000;

export function ActionsTab({ report, at }: { readonly report: IncidentReport; readonly at: number }) {
  return (
    <div className="stack">
      {report.actions.length === 0 ? <p className="soft">Nothing was done or proposed.</p> : null}
      {report.actions.map((action) => (
        <ActionCard key={action.id} action={action} at={at} />
      ))}
      {report.ownerKind === null || report.ownerName === null || report.namespace === null ? null : (
        <p className="small">
          <Link
            to="/actions"
            search={{
              namespace: report.namespace,
              workload: `${report.ownerKind}/${report.ownerName}`,
              since: new Date(Date.parse(report.openedAt) - MONTH_MS).toISOString(),
            }}
          >
            Everything done to {inertText(objectName(report))} since 30 days before
          </Link>
        </p>
      )}
    </div>
  );
}
