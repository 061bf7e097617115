import type { AccountGrant } from '@hephaisto/core/report/grant';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { sayError } from '../api/call.ts';
import { grantsQuery } from '../api/reads.ts';
import { revokeGrant } from '../api/writes.ts';
import { sentence } from '../parts/incident-words.ts';
import { inertText } from '../parts/inert-text.ts';
import { OldData, Waiting } from '../parts/query-state.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { ShowOlder } from '../parts/show-older.tsx';
import { StackedCell, StackedRow, StackedTable } from '../parts/stacked-table.tsx';
import { Ago } from '../parts/time.tsx';
import { say } from '../parts/toasts.tsx';
import { Wide } from '../parts/wide.tsx';
import { usePageTitle } from '../shell/use-page-title.ts';

/** Every role of every account, with its source; an admin revokes one here. */
export function Rights() {
  usePageTitle('Rights');
  const query = useInfiniteQuery(grantsQuery);
  const [chosen, setChosen] = useState<AccountGrant>();
  const pages = query.data?.pages;
  const grants = pages?.flatMap((page) => page.value.items);
  return (
    <>
      <div className="page-title">
        <h1>Rights</h1>
        <span className="soft numbers">{pages?.[0] === undefined ? '' : countText(pages[0].value.total)}</span>
      </div>
      <OldData query={query} />
      <section className="panel" aria-label="Rights, newest first" data-field="rights">
        {grants === undefined ? (
          <Waiting query={query} what="rights" lines={6} />
        ) : (
          <Wide what="Rights, as a table">
            <StackedTable heads={['Account', 'Role', 'Namespace', 'Source', 'Granted', 'Revoke']}>
              {grants.map((grant) => (
                <GrantRow key={grant.id} grant={grant} onRevoke={() => setChosen(grant)} />
              ))}
            </StackedTable>
          </Wide>
        )}
        {query.hasNextPage ? (
          <div className="list-foot">
            <ShowOlder query={query} />
          </div>
        ) : null}
      </section>
      {chosen === undefined ? null : <RevokeSheet grant={chosen} onClose={() => setChosen(undefined)} />}
    </>
  );
}

function countText(total: number): string {
  return total === 1 ? '1 grant' : `${total} grants`;
}

function GrantRow({ grant, onRevoke }: { readonly grant: AccountGrant; readonly onRevoke: () => void }) {
  const name = inertText(grant.name);
  return (
    <StackedRow data-grant={grant.id} data-revoked={grant.revokedAt !== null}>
      <StackedCell className="wrap-any">
        {name}
        {grant.name === grant.subject ? null : <span className="soft"> {inertText(grant.subject)}</span>}
        {grant.kind === 'service' ? <span className="soft"> (service)</span> : null}
      </StackedCell>
      <StackedCell label="role">
        <b>{grant.role}</b>
      </StackedCell>
      <StackedCell label="namespace">{grant.namespace === '' ? 'all' : inertText(grant.namespace)}</StackedCell>
      <StackedCell label="source">{SOURCES[grant.source]}</StackedCell>
      <StackedCell label="granted">
        <Ago instant={grant.grantedAt} />
      </StackedCell>
      <StackedCell label="revoke">
        {grant.revokedAt === null ? (
          <button
            type="button"
            className="button"
            aria-label={`Revoke ${grant.role} of ${name}`}
            aria-haspopup="dialog"
            onClick={onRevoke}
          >
            Revoke
          </button>
        ) : (
          <span className="soft">
            Revoked <Ago instant={grant.revokedAt} /> by {inertText(grant.revokedBy ?? '')}
          </span>
        )}
      </StackedCell>
    </StackedRow>
  );
}

const SOURCES: Readonly<Record<AccountGrant['source'], string>> = {
  configuration: 'configuration',
  loopback: 'first admin on loopback',
  token: 'came with a token',
  admin: 'granted by hand',
};

function RevokeSheet({ grant, onClose }: { readonly grant: AccountGrant; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<unknown>();
  const who = inertText(grant.name);
  const where = grant.namespace === '' ? 'everywhere' : `in ${inertText(grant.namespace)}`;
  const press = async (): Promise<void> => {
    setBusy(true);
    setFailed(undefined);
    try {
      await revokeGrant(grant.id);
      say(`Revoked: ${who} is no longer ${grant.role} ${where} by this grant.`);
      onClose();
    } catch (error: unknown) {
      setFailed(error);
      setBusy(false);
    }
    await client.invalidateQueries({ queryKey: grantsQuery.queryKey });
  };
  return (
    <Sheet
      title={`Revoke ${grant.role} of ${who}?`}
      narrow
      busy={busy}
      field="revoke-grant"
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" data-kind="quiet" disabled={busy} onClick={onClose}>
            Cancel
          </button>
          <span className="push" />
          <button type="button" className="button" data-kind="bad" disabled={busy} onClick={() => void press()}>
            Revoke
          </button>
        </>
      }
    >
      <p>
        {who} loses the role {grant.role} {where} at once. An account without any other grant is signed out, and its
        tokens end.
      </p>
      {grant.source === 'configuration' ? (
        <p className="soft">
          The configuration still states this grant. It stays revoked over restarts; take it out of auth.people too.
        </p>
      ) : null}
      {failed === undefined ? null : (
        <p className="note" data-tone="bad" role="alert">
          {sentence(sayError(failed))}.
        </p>
      )}
    </Sheet>
  );
}
