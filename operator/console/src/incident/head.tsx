import type { IncidentReport } from '@hephaisto/core/report/incident';
import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icons.tsx';
import { objectName } from '../parts/incident-words.ts';
import { inertText } from '../parts/inert-text.ts';
import { shortTitle } from '../parts/short-statement.ts';
import { SeverityTag, StateTag } from '../parts/tags.tsx';
import { Growing } from '../parts/time.tsx';
import { IncidentCommands } from './commands.tsx';
import type { Acknowledge } from './use-acknowledge.ts';

interface HeadProps {
  readonly report: IncidentReport;
  readonly at: number;
  readonly acknowledge: Acknowledge;
}

/** Is it real, how bad, since when, how often, whose. */
export function IncidentHead({ report, at, acknowledge }: HeadProps) {
  const place = [report.cluster.name, report.namespace ?? '', objectName(report)].filter((part) => part !== '');
  return (
    <header className="incident-head">
      <div className="facts">
        <Link to="/" className="back" aria-label="Back to the inbox">
          <Icon name="left" />
          <span>Inbox</span>
        </Link>
        <SeverityTag severity={report.severity} />
        <span className="in-state">
          <StateTag state={report.state} />
          <span className="faint">
            for <Growing seconds={report.secondsInState} since={at} running short />
          </span>
        </span>
        <span title={report.open ? 'Since the first signal' : 'From the first signal to the end'}>
          <span className="faint wide-only">{report.open ? 'age ' : 'lasted '}</span>
          <Growing seconds={report.ageSeconds} since={at} running={report.open} field="age" short />
        </span>
        <span className="numbers" data-field="occurrences" title="Times seen">
          <span className="faint wide-only">seen </span>×{report.occurrences}
        </span>
        <span className="faint numbers" data-field="firing">
          {report.firing} of {report.signalCount} signals firing
        </span>
      </div>
      <h1 className="wrap-any">{inertText(shortTitle(report))}</h1>
      <p className="place">
        <span className="wrap-any" data-field="object">
          <span className="faint numbers">#{report.number}</span> {place.map(inertText).join(' / ')}
        </span>
        <span className="faint" data-field="owner">
          {whoHas(report)}
        </span>
      </p>
      <IncidentCommands report={report} acknowledge={acknowledge} />
    </header>
  );
}

function whoHas(report: IncidentReport): string {
  const parts = [
    report.acknowledgedBy === null ? 'nobody has acknowledged it' : `seen by ${report.acknowledgedBy.name}`,
    report.assignedTo === null ? '' : `given to ${report.assignedTo.name}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
