import type { Proposal } from '@hephaisto/core/report/action';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Search } from '../api/filters.ts';
import { proposalsQuery } from '../api/reads.ts';
import { sentence } from '../parts/incident-words.ts';
import { inertText, plainName } from '../parts/inert-text.ts';
import { OldData, Waiting } from '../parts/query-state.tsx';
import { ShowOlder } from '../parts/show-older.tsx';
import { Tag } from '../parts/tags.tsx';
import { Ago, At, Countdown } from '../parts/time.tsx';
import { useRowKeys } from '../parts/use-settled.ts';
import { ACTION_LOOKS, lookOf, PROPOSAL_LOOKS, riskWords } from '../parts/words.ts';
import { blastLine, digestWords } from '../review/act-words.ts';
import { usePageTitle } from '../shell/use-page-title.ts';

const KINDS = [
  ['', 'All'],
  ['Open', 'Pending'],
  ['Approved', 'Approved'],
  ['Denied', 'Denied'],
  ['Expired', 'Expired'],
  ['Superseded,Void', 'Replaced or void'],
] as const;

/** What waits for somebody, and what became of what waited. */
export function Approvals() {
  usePageTitle('Approvals');
  useRowKeys();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate({ from: '/approvals' });
  const query = useInfiniteQuery(proposalsQuery(search));
  const pages = query.data?.pages ?? [];
  const rows = pages.flatMap((page) => page.value.items.map((proposal) => ({ proposal, at: page.at })));
  const open = rows.filter(({ proposal }) => proposal.state === 'Open');
  const settled = rows.filter(({ proposal }) => proposal.state !== 'Open');
  return (
    <>
      <div className="page-title">
        <h1>Approvals</h1>
        <span className="soft numbers">{pages[0] === undefined ? '' : countText(pages[0].value.total)}</span>
      </div>
      <div className="filters">
        <fieldset>
          <legend>Show</legend>
          {KINDS.map(([state, word]) => (
            <button
              key={word}
              type="button"
              className="chip"
              aria-pressed={(search.state ?? '') === state}
              onClick={() => void navigate({ search: state === '' ? {} : { state }, replace: true })}
            >
              {word}
            </button>
          ))}
        </fieldset>
      </div>
      <OldData query={query} />
      {query.data === undefined ? (
        <section className="panel">
          <Waiting query={query} what="approvals" lines={6} />
        </section>
      ) : rows.length === 0 ? (
        <section className="panel">
          <div className="empty" data-field="empty">
            <h2>{search.state === undefined ? 'Nothing was ever proposed' : 'Nothing of that kind'}</h2>
            <p>A proposal appears when a cause is known, an action follows from it, and policy wants a person.</p>
          </div>
        </section>
      ) : (
        <div className="stack">
          <Group title="Waiting for a decision" rows={open} />
          <Group title="Decided, expired or replaced" rows={settled} />
          <ShowOlder query={query} />
        </div>
      )}
    </>
  );
}

function countText(total: number): string {
  return total === 1 ? '1 proposal' : `${total} proposals`;
}

interface Row {
  readonly proposal: Proposal;
  readonly at: number;
}

function Group({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  if (rows.length === 0) return null;
  return (
    <section className="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span className="faint numbers small">{rows.length}</span>
      </header>
      <ul className="cards">
        {rows.map((row) => (
          <ProposalRow key={row.proposal.id} {...row} />
        ))}
      </ul>
    </section>
  );
}

function ProposalRow({ proposal, at }: Row) {
  const { incident, action } = proposal;
  const risk = riskWords(action.risk);
  const approvals = proposal.votes.filter((vote) => vote.decision === 'approve').length;
  const open = proposal.state === 'Open';
  return (
    <li className="card-row" data-state={proposal.state} data-proposal={proposal.id}>
      <div className="line">
        <Tag look={lookOf(PROPOSAL_LOOKS, proposal.state)} raw={proposal.state} field="proposal-state" />
        <Link
          className="main"
          to="/incidents/$id"
          params={{ id: String(incident.number) }}
          search={{ review: '1' }}
          data-row
        >
          {inertText(sentence(proposal.title))}
        </Link>
        {open ? <Countdown left={proposal.secondsLeft} since={at} /> : null}
        {open ? (
          <Link
            className="button"
            data-kind="main"
            to="/incidents/$id"
            params={{ id: String(incident.number) }}
            search={{ review: '1' }}
            aria-label={`Review: ${proposal.title}`}
          >
            Review
          </Link>
        ) : (
          <span className="faint">{proposal.settledAt === null ? '' : <Ago instant={proposal.settledAt} />}</span>
        )}
      </div>
      <div className="line soft">
        <Link to="/incidents/$id" params={{ id: String(incident.number) }}>
          #{incident.number} {inertText(incident.title)}
        </Link>
        <span className="tag" data-tone={risk.tone}>
          {risk.word}
        </span>
        <span data-field="blast-radius">{blastLine(proposal)}</span>
        <span className="numbers">
          {approvals} of {proposal.quorum} approval{proposal.quorum === 1 ? '' : 's'}
        </span>
        <span>
          digest <code title={proposal.digest}>{digestWords(proposal.digest)}</code>
        </span>
        {open ? null : <Tag look={lookOf(ACTION_LOOKS, action.state)} raw={action.state} field="action-state" />}
      </div>
      {proposal.votes.map((vote) => (
        <p key={vote.by.subject} className="soft wrap-any">
          {vote.decision === 'approve' ? 'Approved' : 'Denied'} by <b>{vote.by.name}</b> at <At instant={vote.at} /> by{' '}
          {vote.source}
          {vote.reason === null ? '' : `: ${inertText(vote.reason)}`}
        </p>
      ))}
      {proposal.voidReason === null ? null : <p className="soft">Because: {plainName(proposal.voidReason)}</p>}
    </li>
  );
}
