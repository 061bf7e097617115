import type { IncidentReport } from '@hephaisto/core/report/incident';
import { CopyButton } from '../parts/copy.tsx';
import { inertText, plainName } from '../parts/inert-text.ts';
import { StackedCell, StackedRow, StackedTable } from '../parts/stacked-table.tsx';
import { SeverityTag } from '../parts/tags.tsx';
import { Ago, At } from '../parts/time.tsx';
import { Wide } from '../parts/wide.tsx';

/** What the sources said, and what became of each. */
export function SignalsTab({ report }: { readonly report: IncidentReport }) {
  return (
    <Wide what="Signals">
      <StackedTable heads={['First', 'Severity', 'Signal', 'Source', 'State', 'Seen', 'Became']}>
        {report.signals.map((signal) => (
          <StackedRow key={signal.id}>
            <StackedCell>
              <At instant={signal.receivedAt} />
            </StackedCell>
            <StackedCell label="severity">
              <SeverityTag severity={signal.severity} />
            </StackedCell>
            <StackedCell className="wrap-any" label="signal">
              <b>{inertText(signal.reason)}</b> {inertText(signal.podName ?? signal.ownerName ?? signal.nodeName ?? '')}
              {signal.message === null ? null : <div className="soft">{inertText(signal.message)}</div>}
            </StackedCell>
            <StackedCell label="source">{signal.source}</StackedCell>
            <StackedCell label="state">
              {signal.status}
              {signal.statusReason === null ? null : <div className="soft">{inertText(signal.statusReason)}</div>}
            </StackedCell>
            <StackedCell className="numbers" label="seen">
              ×{signal.occurrences}, <Ago instant={signal.lastSeenAt} />
            </StackedCell>
            <StackedCell className="wrap-any" label="became">
              {signal.disposition}
              {signal.dispositionReason === null ? '' : `: ${plainName(signal.dispositionReason)}`}
            </StackedCell>
          </StackedRow>
        ))}
      </StackedTable>
    </Wide>
  );
}

/** Who was told, and whether it arrived. */
export function MessagesTab({ report }: { readonly report: IncidentReport }) {
  if (report.notifications.length === 0)
    return (
      <p className="soft">No message was sent: no notification route is configured, or none matches this incident.</p>
    );
  return (
    <Wide what="Messages">
      <StackedTable heads={['Made', 'Channel', 'To', 'Status', 'Tries']}>
        {report.notifications.map((message) => (
          <StackedRow key={message.id}>
            <StackedCell>
              <At instant={message.createdAt} />
            </StackedCell>
            <StackedCell label="channel">
              {message.channel} ({message.route})
            </StackedCell>
            <StackedCell className="wrap-any" label="to">
              {inertText(message.recipient)}
            </StackedCell>
            <StackedCell label="status">
              {message.status}
              {message.errorKind === null ? '' : `: ${plainName(message.errorKind)}`}
              {message.suppressedReason === null ? '' : `: ${plainName(message.suppressedReason)}`}
            </StackedCell>
            <StackedCell className="numbers" label="tries">
              {message.attempts}
            </StackedCell>
          </StackedRow>
        ))}
      </StackedTable>
    </Wide>
  );
}

/** Exactly what the API gave. */
export function RawTab({ report }: { readonly report: IncidentReport }) {
  const text = JSON.stringify(report, null, 2);
  return (
    <>
      <div className="buttons">
        <CopyButton text={text} what="the report" label="Copy JSON" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className="code raw" tabIndex={0}>
        {inertText(text)}
      </pre>
    </>
  );
}
