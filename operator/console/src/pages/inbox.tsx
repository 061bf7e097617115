import type { IncidentSummary } from '@hephaisto/core/report/incident';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { inboxQuery, recentQuery } from '../api/reads.ts';
import { byNeed } from '../parts/incident-words.ts';
import { OldData, Waiting } from '../parts/query-state.tsx';
import { useRowKeys, useSettled, useTakeKey } from '../parts/use-settled.ts';
import { WaitingBar } from '../parts/waiting-bar.tsx';
import { usePageTitle } from '../shell/use-page-title.ts';
import { Coverage } from './inbox-coverage.tsx';
import { NothingFiring } from './inbox-empty.tsx';
import { InboxRow, QuietRow } from './inbox-rows.tsx';

const NEEDS: readonly string[] = ['AwaitingApproval', 'Escalated'];

/** What needs somebody, what is being handled, what has just ended. */
export function Inbox() {
  usePageTitle('Inbox');
  useRowKeys();
  const inbox = useQuery(inboxQuery);
  const page = inbox.data?.value;
  const needs = useSettled((page?.items ?? []).filter((row) => NEEDS.includes(row.state)).sort(byNeed));
  const running = useSettled((page?.items ?? []).filter((row) => !NEEDS.includes(row.state)).sort(byNeed));
  useTakeKey(() => {
    needs.take();
    running.take();
  });
  if (inbox.data === undefined)
    return (
      <Frame>
        <section className="panel">
          <Waiting query={inbox} what="the inbox" lines={6} />
        </section>
      </Frame>
    );
  const at = inbox.data.at;
  return (
    <Frame>
      <OldData query={inbox} />
      {needs.rows.length === 0 && running.rows.length === 0 ? <NothingFiring /> : null}
      {needs.rows.length === 0 ? null : (
        <section className="panel" aria-labelledby="needs" data-field="needs-you">
          <header>
            <h2 id="needs">Needs you</h2>
            <WaitingBar count={needs.waiting} what="row" onTake={needs.take} />
          </header>
          <ul className="rows">
            {needs.rows.map(({ row, gone }) => (
              <InboxRow key={row.id} row={row} at={at} gone={gone} />
            ))}
          </ul>
        </section>
      )}
      {running.rows.length === 0 ? null : (
        <section className="panel" aria-labelledby="running" data-field="being-handled">
          <header>
            <h2 id="running">Being handled, nothing for you to do yet</h2>
            <WaitingBar count={running.waiting} what="row" onTake={running.take} />
          </header>
          <ul className="rows">
            {running.rows.map(({ row, gone }) => (
              <InboxRow key={row.id} row={row} at={at} gone={gone} />
            ))}
          </ul>
        </section>
      )}
      {page !== undefined && page.total > page.items.length ? (
        <p className="note" data-tone="warn">
          {page.total} incidents are open; the {page.items.length} newest are here.{' '}
          <Link to="/incidents" search={{ open: 'true' }}>
            See all
          </Link>
        </p>
      ) : null}
      <Recent />
      <Coverage />
    </Frame>
  );
}

function Frame({ children }: { readonly children: React.ReactNode }) {
  return (
    <>
      <h1 className="only-read">Inbox</h1>
      <div className="stack">{children}</div>
    </>
  );
}

/** What ended in the last two hours. */
function Recent() {
  const recent = useQuery(recentQuery);
  const settled = useSettled<IncidentSummary>(recent.data?.value.items ?? []);
  if (recent.data === undefined || settled.rows.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="recent" data-field="recently-ended">
      <header>
        <h2 id="recent">Ended in the last 2 hours</h2>
        <WaitingBar count={settled.waiting} what="row" onTake={settled.take} />
      </header>
      <ul className="rows quiet">
        {settled.rows.map(({ row }) => (
          <QuietRow key={row.id} row={row} />
        ))}
      </ul>
    </section>
  );
}
