import type { IncidentReport, IncidentSummary } from '@hephaisto/core/report/incident';
import type { Page } from '@hephaisto/core/report/named';
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { incidentQuery } from '../api/reads.ts';
import type { Stamped } from '../api/stamped.ts';
import { refreshRows } from './newest.ts';

/** As much of a stream event as is needed to know what to read again. */
export interface Heard {
  readonly name: string;
  readonly incidentId: string | undefined;
}

/** What a burst of events made old. Events only say where to look; what is shown is always read. */
export async function renew(client: QueryClient, heard: readonly Heard[]): Promise<void> {
  const ids = new Set(heard.flatMap((event) => event.incidentId ?? []));
  const names = new Set(heard.map((event) => event.name));
  const jobs: Promise<unknown>[] = [];
  if (names.has('switch')) jobs.push(again(client, 'switches'), again(client, 'health'));
  if (ids.size > 0) {
    // What is being read comes first: the server answers one question after another.
    await renewReports(client, ids);
    jobs.push(again(client, 'inbox'), again(client, 'recent'), renewRows(client, ids));
  }
  if (names.has('approval') || names.has('action')) jobs.push(again(client, 'proposals'), again(client, 'actions'));
  await Promise.all(jobs);
}

/** Reads everything on the screen again; what is not on it, when it next is. A transcript is not: each reading of one is on record. */
export function renewAll(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ predicate: (query) => !KEPT.has(query.queryKey[0]) });
}

const KEPT: ReadonlySet<unknown> = new Set(['session', 'transcript']);

function again(client: QueryClient, first: string): Promise<void> {
  return client.invalidateQueries({ queryKey: [first] });
}

/** A report may be open under its number as well as its id. */
function renewReports(client: QueryClient, ids: ReadonlySet<string>): Promise<void> {
  return client.invalidateQueries({
    predicate: (query) => {
      if (query.queryKey[0] !== 'incident') return false;
      const held = query.state.data as Stamped<IncidentReport> | undefined;
      return ids.has(String(query.queryKey[1])) || (held !== undefined && ids.has(held.value.id));
    },
  });
}

const MOST_SINGLE_READS = 8;

/** Puts the changed rows of long lists in place, and asks only for those. */
async function renewRows(client: QueryClient, ids: ReadonlySet<string>): Promise<void> {
  type Pages = InfiniteData<Stamped<Page<IncidentSummary>>>;
  for (const query of client.getQueryCache().findAll({ queryKey: ['incidents'], type: 'active' })) {
    const held = query.state.data as Pages | undefined;
    if (held === undefined) continue;
    const filters = String(query.queryKey[1] ?? '');
    const head = await call<Page<IncidentSummary>>(
      'GET',
      `/api/v1/incidents${filters === '' ? '?' : `${filters}&`}limit=50`,
    );
    const inHead = new Set(head.items.map((row) => row.id));
    const shown = new Set(held.pages.flatMap((page) => page.value.items.map((row) => row.id)));
    const single = [...ids].filter((id) => shown.has(id) && !inHead.has(id)).slice(0, MOST_SINGLE_READS);
    const reports = await Promise.all(
      single.map((id) => client.fetchQuery({ ...incidentQuery(id), staleTime: 0 }).then((report) => report.value)),
    );
    const fresh = [...head.items, ...reports];
    client.setQueryData<Pages>(query.queryKey, (data) => data && withFresh(data, fresh, head));
  }
}

function withFresh<D extends InfiniteData<Stamped<Page<IncidentSummary>>>>(
  data: D,
  fresh: readonly IncidentSummary[],
  head: Page<IncidentSummary>,
): D {
  const values = refreshRows(
    data.pages.map((page) => page.value),
    fresh,
  );
  const known = new Set(values.flatMap((page) => page.items.map((row) => row.id)));
  const fallen = head.items.filter((row) => !known.has(row.id));
  return {
    ...data,
    pages: data.pages.map((page, index) => {
      const value = values[index] ?? page.value;
      if (index > 0) return value === page.value ? page : { ...page, value };
      return { at: performance.now(), value: { ...value, items: [...fallen, ...value.items], total: head.total } };
    }),
  };
}
