import type { IncidentReport } from '@hephaisto/core/report/incident';
import { ActionCard } from './action-card.tsx';

export function ActionsTab({ report, at }: { readonly report: IncidentReport; readonly at: number }) {
  if (report.actions.length === 0) return <p className="soft">Nothing was done or proposed.</p>;
  return (
    <div className="stack">
      {report.actions.map((action) => (
        <ActionCard key={action.id} action={action} at={at} />
      ))}
    </div>
  );
}
