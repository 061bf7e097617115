import type { Action, Proposal } from '@hephaisto/core/report/action';
import type { AccountGrant } from '@hephaisto/core/report/grant';
import type { IncidentReport, IncidentSummary } from '@hephaisto/core/report/incident';
import type { Health, Session, Switch } from '@hephaisto/core/report/installation';
import type { Page } from '@hephaisto/core/report/named';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { newest, newestOfEach } from '../live/newest.ts';
import { CallFailed, call, codeOf, rememberCsrf } from './call.ts';
import { queryOf, type Search } from './filters.ts';
import { type Stamped, stamped } from './stamped.ts';

/** Everything the console reads, each under one key. The keys' first words are what the live line renews by. */

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  async queryFn({ signal }): Promise<Session | null> {
    try {
      const session = await call<Session>('GET', '/api/v1/session', { signal });
      rememberCsrf(session.csrfToken);
      return session;
    } catch (error: unknown) {
      if (codeOf(error) === 'unauthenticated') return null;
      throw error;
    }
  },
  staleTime: 60_000,
  refetchInterval: (query) => (query.state.status === 'error' ? 3_000 : false),
});

/** Open incidents, all that fit one answer: what needs somebody is among them. */
export const inboxQuery = queryOptions({
  queryKey: ['inbox'],
  queryFn: ({ signal }) => stamped<Page<IncidentSummary>>('/api/v1/incidents?open=true&limit=200', signal),
  structuralSharing: (held, arrived) => newestPage(held, arrived),
});

const RECENT_MS = 2 * 3_600_000;

export const recentQuery = queryOptions({
  queryKey: ['recent'],
  queryFn: ({ signal }) => {
    const since = new Date(Date.now() - RECENT_MS).toISOString();
    return stamped<Page<IncidentSummary>>(`/api/v1/incidents?open=false&limit=20&since=${since}`, signal);
  },
});

export const INCIDENT_FILTERS = ['state', 'severity', 'kind', 'namespace', 'owner', 'text', 'open', 'since'] as const;

export function incidentsQuery(search: Search) {
  return pagesQuery<IncidentSummary>('incidents', '/api/v1/incidents', queryOf(search, INCIDENT_FILTERS));
}

export function incidentQuery(id: string) {
  return queryOptions({
    queryKey: ['incident', id],
    queryFn: ({ signal }) => stamped<IncidentReport>(`/api/v1/incidents/${encodeURIComponent(id)}`, signal),
    // Reads and calls of a look make no event of their own.
    refetchInterval: ({ state }) => (isLooking(state.data?.value) ? LOOKING_MS : false),
    structuralSharing: (held, arrived) => {
      const [before, after] = [held as Stamped<IncidentReport> | undefined, arrived as Stamped<IncidentReport>];
      return newest(before?.value, after.value) === after.value ? after : before;
    },
  });
}

const LOOKING_MS = 1_000;

function isLooking(report: IncidentReport | undefined): boolean {
  const state = report?.investigations[0]?.state;
  return state === 'Queued' || state === 'Running';
}

export function proposalsQuery(search: Search) {
  return pagesQuery<Proposal>('proposals', '/api/v1/proposals', queryOf(search, ['state']));
}

export function actionsQuery(search: Search) {
  return pagesQuery<Action>(
    'actions',
    '/api/v1/actions',
    queryOf(search, ['state', 'type', 'namespace', 'workload', 'since']),
  );
}

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => stamped<Health>('/api/v1/health', signal),
  refetchInterval: 15_000,
});

export const switchesQuery = queryOptions({
  queryKey: ['switches'],
  queryFn: ({ signal }) => call<{ items: Switch[] }>('GET', '/api/v1/switches', { signal }),
  refetchInterval: 60_000,
});

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: ({ signal }) => call<{ items: { subject: string; name: string }[] }>('GET', '/api/v1/people', { signal }),
  staleTime: 60_000,
});

export const grantsQuery = {
  ...pagesQuery<AccountGrant>('grants', '/api/v1/grants', ''),
  staleTime: 0,
  refetchInterval: 60_000,
};

function pagesQuery<T>(key: string, path: string, query: string) {
  return infiniteQueryOptions({
    queryKey: [key, query],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => {
      // The first page is small, to be there soon; who scrolls on wants many.
      const paging = pageParam === '' ? 'limit=50' : `limit=200&cursor=${encodeURIComponent(pageParam)}`;
      return stamped<Page<T>>(`${path}${query === '' ? '?' : `${query}&`}${paging}`, signal);
    },
    getNextPageParam: (last) => last.value.next,
    // Rows that change are put in place by the live line; reading a hundred pages again for one row would be absurd.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
}

function newestPage(held: unknown, arrived: unknown): Stamped<Page<IncidentSummary>> {
  const before = held as Stamped<Page<IncidentSummary>> | undefined;
  const after = arrived as Stamped<Page<IncidentSummary>>;
  const items = newestOfEach(before?.value.items ?? [], after.value.items);
  return { ...after, value: { ...after.value, items } };
}

/** Whether asking again may help; a refusal stays one, and asking again would only delay saying so. */
export function mayRetry(count: number, error: unknown): boolean {
  if (!(error instanceof CallFailed)) return false;
  if (error.failure.kind === 'unreached') return count < 1;
  return error.failure.problem.status >= 500 && count < 2;
}
