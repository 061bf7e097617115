import type { IncidentReport } from '@hephaisto/core/report/incident';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/reads.ts';
import { rightTo } from '../api/rights.ts';
import type { Acknowledge } from './use-acknowledge.ts';

interface PhoneBarProps {
  readonly report: IncidentReport;
  readonly acknowledge: Acknowledge;
  readonly onReview: (mode: 'approve' | 'deny') => void;
}

/** What a thumb needs, where it is. Only on narrow screens. */
export function PhoneBar({ report, acknowledge, onReview }: PhoneBarProps) {
  const deciding = rightTo(useQuery(sessionQuery).data, 'approver', report.namespace);
  const open = report.currentProposal?.state === 'Open';
  const ack = report.acknowledgedBy === null && report.open;
  if (!open && !ack) return null;
  const { right } = acknowledge;
  // A finger cannot point at a button to be told why it is off, so it is said in words.
  const deciderLacks = open && deciding.kind === 'may-not' ? `Deciding ${deciding.why}.` : '';
  const ackLacks = ack && right.kind === 'may-not' ? `Ack ${right.why}.` : '';
  // Both at once would take a third of the screen to say twice who one is.
  const off = deciderLacks !== '' && ackLacks !== '' ? `${deciderLacks} Ack needs responder.` : deciderLacks + ackLacks;
  return (
    <div className="phone-bar">
      {off === '' ? null : (
        <p className="why-off soft" data-field="why-off">
          {off}
        </p>
      )}
      {ack ? (
        <button
          type="button"
          className="button"
          disabled={right.kind === 'may-not' || acknowledge.busy}
          onClick={acknowledge.run}
        >
          Ack
        </button>
      ) : null}
      {open ? (
        <>
          <button
            type="button"
            className="button"
            disabled={deciding.kind === 'may-not'}
            title={deciding.kind === 'may-not' ? `Deciding ${deciding.why}` : undefined}
            onClick={() => onReview('deny')}
          >
            Deny
          </button>
          <button type="button" className="button" data-kind="main" onClick={() => onReview('approve')}>
            Review
          </button>
        </>
      ) : null}
    </div>
  );
}
