import type { IncidentReport } from '@hephaisto/core/report/incident';
import { Icon, type IconName } from '../parts/icons.tsx';
import { inertText } from '../parts/inert-text.ts';
import { At } from '../parts/time.tsx';
import { StateBar } from '../pictures/state-bar.tsx';
import { TimelinePicture } from '../pictures/timeline-picture.tsx';
import { entriesOf, type Gathered, gathered, type Lane } from './timeline-entries.ts';

const GLYPHS: Readonly<Record<Lane, IconName>> = {
  signals: 'triangle',
  changes: 'change',
  acts: 'bolt',
  states: 'dot',
};

export function TimelineTab({ report }: { readonly report: IncidentReport }) {
  const entries = entriesOf(report);
  return (
    <div className="timeline">
      <StateBar spans={report.states} />
      <TimelinePicture entries={entries} />
      {report.eventCount > report.events.length || report.signalCount > report.signals.length ? (
        <p className="note soft" data-field="older-entries">
          The newest {report.events.length} of {report.eventCount} events and {report.signals.length} of{' '}
          {report.signalCount} signals are shown.
        </p>
      ) : null}
      <ol className="entries">
        {gathered(entries).map((entry) => (
          <Row key={entry.key} entry={entry} />
        ))}
      </ol>
    </div>
  );
}

function Row({ entry }: { readonly entry: Gathered }) {
  return (
    <li data-lane={entry.lane}>
      <At instant={entry.at} />
      <span className="tag" data-tone={entry.tone}>
        <Icon name={GLYPHS[entry.lane]} size={12} />
        <span className="only-read">{entry.lane}: </span>
      </span>
      <span className="wrap-any">
        <b>{inertText(entry.text)}</b>
        {entry.times === 1 ? null : (
          <span className="soft">
            {' '}
            {entry.times} times, last at <At instant={entry.lastAt} />
          </span>
        )}
        {entry.by === undefined ? null : <span className="faint"> by {inertText(entry.by)}</span>}
        {entry.detail === '' ? null : <span className="soft"> · {inertText(entry.detail)}</span>}
      </span>
    </li>
  );
}
