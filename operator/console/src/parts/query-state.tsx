import type { ReactNode } from 'react';
import { codeOf, sayError } from '../api/call.ts';
import { sentence } from './incident-words.ts';
import { At } from './time.tsx';

interface Readable {
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: unknown;
  readonly dataUpdatedAt: number;
  readonly refetch: () => unknown;
}

/** What stands where the data will be, and where it could not be had. */
export function Waiting({
  query,
  what,
  lines = 4,
}: {
  readonly query: Readable;
  readonly what: string;
  readonly lines?: number;
}) {
  if (query.isError) return <CouldNot query={query} what={what} />;
  return (
    <div className="bones" role="status" aria-label={`reading ${what}`}>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bones have no identity
        <span key={index} style={{ width: `${88 - ((index * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

function CouldNot({ query, what }: { readonly query: Readable; readonly what: string }) {
  const code = codeOf(query.error);
  return (
    <div className="empty" role="alert">
      <h2>{TITLES[code ?? ''] ?? `Could not read ${what}`}</h2>
      <p className="wrap-any">{sentence(sayError(query.error))}.</p>
      <button type="button" className="button" onClick={() => void query.refetch()}>
        Try again
      </button>
    </div>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  'store-unavailable': 'The database is away',
  overloaded: 'The server is too busy to answer',
  'shutting-down': 'The server is restarting',
  unreached: 'The server does not answer',
  'incident-not-found': 'No such incident, or not one that you may read',
  'role-missing': 'Your role may not read this',
};

/** Said above data that could not be renewed: the data stays, with its age. */
export function OldData({ query }: { readonly query: Readable }): ReactNode {
  if (!query.isError || query.dataUpdatedAt === 0) return null;
  return (
    <p className="note" data-tone="warn" role="status" data-field="old-data">
      <strong>Could not be renewed.</strong> This is from <At instant={new Date(query.dataUpdatedAt).toISOString()} />:{' '}
      {sayError(query.error)}.
    </p>
  );
}
