import type { IncidentReport } from '@hephaisto/core/report/incident';
import { CopyButton } from '../parts/copy.tsx';
import { inertText, plainName } from '../parts/inert-text.ts';
import { SeverityTag } from '../parts/tags.tsx';
import { Ago, At } from '../parts/time.tsx';
import { Wide } from '../parts/wide.tsx';

/** What the sources said, and what became of each. */
export function SignalsTab({ report }: { readonly report: IncidentReport }) {
  return (
    <Wide what="Signals">
      <table className="table stacks">
        <thead>
          <tr>
            <th>First</th>
            <th>Severity</th>
            <th>Signal</th>
            <th>Source</th>
            <th>State</th>
            <th>Seen</th>
            <th>Became</th>
          </tr>
        </thead>
        <tbody>
          {report.signals.map((signal) => (
            <tr key={signal.id}>
              <td>
                <At instant={signal.receivedAt} />
              </td>
              <td data-label="severity">
                <SeverityTag severity={signal.severity} />
              </td>
              <td className="wrap-any" data-label="signal">
                <b>{inertText(signal.reason)}</b>{' '}
                {inertText(signal.podName ?? signal.ownerName ?? signal.nodeName ?? '')}
                {signal.message === null ? null : <div className="soft">{inertText(signal.message)}</div>}
              </td>
              <td data-label="source">{signal.source}</td>
              <td data-label="state">{signal.status}</td>
              <td className="numbers" data-label="seen">
                ×{signal.occurrences}, <Ago instant={signal.lastSeenAt} />
              </td>
              <td className="wrap-any" data-label="became">
                {signal.disposition}
                {signal.dispositionReason === null ? '' : `: ${plainName(signal.dispositionReason)}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

/** Who was told, and whether it arrived. */
export function MessagesTab({ report }: { readonly report: IncidentReport }) {
  if (report.notifications.length === 0)
    return <p className="soft">No message was sent: no route matches this incident.</p>;
  return (
    <Wide what="Messages">
      <table className="table stacks">
        <thead>
          <tr>
            <th>Made</th>
            <th>Channel</th>
            <th>To</th>
            <th>Status</th>
            <th>Tries</th>
          </tr>
        </thead>
        <tbody>
          {report.notifications.map((message) => (
            <tr key={message.id}>
              <td>
                <At instant={message.createdAt} />
              </td>
              <td data-label="channel">
                {message.channel} ({message.route})
              </td>
              <td className="wrap-any" data-label="to">
                {inertText(message.recipient)}
              </td>
              <td data-label="status">
                {message.status}
                {message.errorKind === null ? '' : `: ${plainName(message.errorKind)}`}
                {message.suppressedReason === null ? '' : `: ${plainName(message.suppressedReason)}`}
              </td>
              <td className="numbers" data-label="tries">
                {message.attempts}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
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
