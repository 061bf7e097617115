import type { IncidentReport } from '@hephaisto/core/report/incident';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQuery } from '../api/reads.ts';
import { rightTo } from '../api/rights.ts';
import { CopyButton } from '../parts/copy.tsx';
import { nextWords } from '../parts/incident-words.ts';
import { inertText, plainName } from '../parts/inert-text.ts';
import { Ago } from '../parts/time.tsx';
import { CommandSheet } from './command-sheet.tsx';

interface SettledProps {
  readonly report: IncidentReport;
  readonly commands: readonly string[];
  readonly onReview: (mode: 'approve' | 'deny') => void;
}

/** A proposal that is no longer open and led to nothing: how it ended, and what can be done now. */
export function Settled({ report, commands, onReview }: SettledProps) {
  const [asking, setAsking] = useState(false);
  const session = useQuery(sessionQuery).data;
  const right = rightTo(session, 'responder', report.namespace);
  const proposal = report.currentProposal;
  const vote = proposal?.votes.at(-1);
  return (
    <>
      <p className="policy soft wrap-any" data-field="settled">
        {vote === undefined
          ? nextWords(report)
          : `${vote.decision === 'deny' ? 'Denied' : 'Approved'} by ${vote.by.name}${vote.reason === null ? '' : `: ${inertText(vote.reason)}`}`}
        {proposal === null || proposal.settledAt === null ? null : (
          <>
            {' · '}
            <Ago instant={proposal.settledAt} />
          </>
        )}
        {proposal?.voidReason === null || proposal?.voidReason === undefined
          ? null
          : ` · ${plainName(proposal.voidReason)}`}
      </p>
      <div className="buttons">
        {report.state === 'Escalated' && proposal !== null ? (
          <button
            type="button"
            className="button"
            {...(right.kind === 'may-not' ? { 'aria-disabled': true, title: right.why } : {})}
            onClick={() => right.kind === 'may' && setAsking(true)}
          >
            Propose again
          </button>
        ) : null}
        <button type="button" className="button" onClick={() => onReview('approve')}>
          See what it was
        </button>
        {commands.length === 0 ? null : (
          <CopyButton text={commands.join('\n')} what="the commands" label="Do it myself" />
        )}
      </div>
      {asking ? <CommandSheet command="revise" report={report} onClose={() => setAsking(false)} /> : null}
    </>
  );
}
