import type { IncidentSummary } from '@hephaisto/core/report/incident';
import { Link } from '@tanstack/react-router';
import { CertaintyWord } from '../parts/certainty.tsx';
import { nextWords, objectName, sentence } from '../parts/incident-words.ts';
import { inertText } from '../parts/inert-text.ts';
import { shortStatement, shortTitle } from '../parts/short-statement.ts';
import { SeverityTag, StateTag } from '../parts/tags.tsx';
import { Ago, Countdown, Growing } from '../parts/time.tsx';
import { riskWords } from '../parts/words.ts';

interface RowProps {
  readonly row: IncidentSummary;
  /** When the row was read, by the page's clock. */
  readonly at: number;
  readonly gone: boolean;
}

/** One incident with the five answers in three lines. */
export function InboxRow({ row, at, gone }: RowProps) {
  const proposal = row.proposal !== null && row.proposal.state === 'Open' ? row.proposal : undefined;
  return (
    <li
      className="inbox-row"
      data-incident={row.number}
      data-state={row.state}
      {...(gone ? { 'data-gone': true } : {})}
    >
      <div className="first">
        <SeverityTag severity={row.severity} />
        <Link className="title" to="/incidents/$id" params={{ id: String(row.number) }} data-row>
          {inertText(shortTitle(row))}
        </Link>
        <StateTag state={row.state} />
      </div>
      <div className="meta">
        <span className="wrap-any">
          #{row.number} ·{' '}
          {[row.cluster.name, row.namespace ?? '', objectName(row)]
            .filter((part) => part !== '')
            .map(inertText)
            .join(' / ')}
        </span>
        <span className="numbers" data-field="occurrences">
          seen ×{row.occurrences}
        </span>
        <span>
          for <Growing seconds={row.ageSeconds} since={at} running={row.open} field="age" short />
        </span>
        {row.verdict === null ? null : (
          <span className="numbers">
            {row.verdict.evidence} quotation{row.verdict.evidence === 1 ? '' : 's'}
            {row.verdict.gaps === 0 ? '' : `, ${row.verdict.gaps} not readable`}
          </span>
        )}
        {row.acknowledgedBy === null && row.assignedTo === null ? null : (
          <span data-field="owner">{row.assignedTo?.name ?? row.acknowledgedBy?.name} has it</span>
        )}
      </div>
      <div className="second">
        {row.verdict === null ? (
          <span className="soft">{nextWords(row)}</span>
        ) : (
          <span className="soft verdict-line">
            <CertaintyWord certainty={row.verdict.certainty} />{' '}
            {inertText(sentence(shortStatement(row.verdict.statement)))}
          </span>
        )}
      </div>
      {proposal === undefined ? (
        row.verdict === null ? null : (
          <div className="third soft">{nextWords(row)}</div>
        )
      ) : (
        <div className="third">
          <span className="proposal-line" data-field="proposal">
            Proposed: <b>{inertText(proposal.title)}</b>
          </span>
          <span className="soft">{riskWords(proposal.risk).word}</span>
          {proposal.quorum > 1 ? (
            <span className="soft">
              {proposal.approvals} of {proposal.quorum} approvals
            </span>
          ) : null}
          <Countdown left={proposal.secondsLeft} since={at} />
          <Link
            className="button"
            data-kind="main"
            to="/incidents/$id"
            params={{ id: String(row.number) }}
            search={{ review: '1' }}
            aria-label={`Review: ${proposal.title}`}
          >
            Review
          </Link>
        </div>
      )}
    </li>
  );
}

/** One that is over: a line, and how it ended. */
export function QuietRow({ row }: { readonly row: IncidentSummary }) {
  return (
    <li className="quiet-row" data-incident={row.number} data-state={row.state}>
      <StateTag state={row.state} />
      <Link className="title cut" to="/incidents/$id" params={{ id: String(row.number) }} data-row>
        {inertText(row.title)}
      </Link>
      <span className="faint cut">{sentence(row.nextStep.replace(/^nothing: /, ''))}</span>
      {row.closedAt === null ? null : (
        <span className="faint">
          <Ago instant={row.closedAt} />
        </span>
      )}
    </li>
  );
}
