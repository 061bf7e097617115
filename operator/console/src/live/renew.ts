import type { IncidentReport, IncidentSummary } from '@hephaisto/core/report/incident';
import type { Page } from '@hephaisto/core/report/named';
import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';
import { call, codeOf } from '../api/call.ts';
import { incidentQuery } from '../api/reads.ts';
import type { Stamped } from '../api/stamped.ts';
import { refreshRows } from './newest.ts';
import { createTurns, type Pace, type Turns } from './turns.ts';

/** As much of a stream event as is needed to know what to read again. */
export interface Heard {
  readonly name: string;
  readonly incidentId: string | undefined;
}

/** Reads again what events made old. Events only say where to look; what is shown is always read. */
export interface Renewal {
  hear(heard: Heard): void;
  /** When the oldest event was heard of which the screen may not show anything yet, in milliseconds of the page's clock. */
  behindSince(): number | undefined;
  close(): void;
}

/** Events of one burst are answered together; long enough to catch a transaction's worth, short enough to be at once. */
const GATHER_MS = 25;
/** While events pour in, each thing is read four times a second at most; all tabs of a person share one allowance at the server. */
const REST_MS = 250;
/** The rows of long lists take several readings each time. */
const ROWS_REST_MS = 500;
/** Nobody looks at a hidden tab, but it counts in its title and calls. */
const HIDDEN_REST_MS = 2_000;
const FAILED_MS = 3_000;
/** Longer than a call takes to be given up and made once more. */
const PATIENCE_MS = 45_000;
/** What is being read comes first, since the server answers one question after another; but nothing waits long for it. */
const HEAD_START_MS = 150;

const LISTS = ['inbox', 'recent', 'proposals', 'actions', 'switches', 'health'] as const;
type List = (typeof LISTS)[number];

/** Each thing that is read has turns of its own, so that one slow answer holds up no other. */
export function openRenewal(client: QueryClient, now: () => number = Date.now): Renewal {
  const pace = (restMs: () => number): Pace => ({
    gatherMs: GATHER_MS,
    restMs: () => (hidden() ? HIDDEN_REST_MS : restMs()),
    failedMs: FAILED_MS,
    patienceMs: PATIENCE_MS,
    now,
  });
  let reading: Promise<void> = Promise.resolve();
  const reports = createTurns(
    async (ids) => {
      reading = renewReports(client, ids);
      await reading;
      return [];
    },
    pace(() => REST_MS),
  );
  const rows = createTurns(
    async (ids) => {
      await headStart(reading);
      return renewRows(client, ids);
    },
    pace(() => ROWS_REST_MS),
  );
  const listOf = (list: List): Turns =>
    createTurns(
      async () => {
        await headStart(reading);
        await renew(client, ({ queryKey }) => queryKey[0] === list);
        return [];
      },
      pace(() => REST_MS * pagesHeld(client, list)),
    );
  const lists = new Map(LISTS.map((list) => [list, listOf(list)]));
  const all = [reports, rows, ...lists.values()];
  return {
    hear({ name, incidentId }) {
      if (incidentId !== undefined) {
        reports.ask([incidentId]);
        rows.ask([incidentId]);
      }
      for (const list of madeOld(name, incidentId)) lists.get(list)?.ask([list]);
    },
    behindSince() {
      const times = all.flatMap((turns) => turns.behindSince() ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    close() {
      for (const turns of all) turns.close();
    },
  };
}

function madeOld(name: string, incidentId: string | undefined): readonly List[] {
  return [
    ...(name === 'switch' ? (['switches', 'health'] as const) : []),
    ...(incidentId === undefined ? [] : (['inbox', 'recent'] as const)),
    ...(name === 'approval' || name === 'action' ? (['proposals', 'actions'] as const) : []),
  ];
}

/** Reads everything on the screen again; what is not on it, when it next is. A transcript is not: each reading of one is on record. */
export function renewAll(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ predicate: (query) => !KEPT.has(query.queryKey[0]) });
}

const KEPT: ReadonlySet<unknown> = new Set(['session', 'transcript']);

function hidden(): boolean {
  return typeof document !== 'undefined' && document.visibilityState === 'hidden';
}

async function headStart(reading: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, HEAD_START_MS);
  });
  await Promise.race([reading.catch(() => {}), enough]);
  clearTimeout(timer);
}

/** A list that was scrolled far is read page by page, which is as many readings. */
function pagesHeld(client: QueryClient, list: List): number {
  const pages = client
    .getQueryCache()
    .findAll({ queryKey: [list], type: 'active' })
    .map(({ state }) => {
      const held = state.data as { readonly pages?: readonly unknown[] } | undefined;
      return held?.pages?.length ?? 1;
    });
  return Math.max(1, ...pages);
}

/**
 * Reads what matches again. A reading that is under way for another reason is left to finish, and done once more: it may have been asked
 * before the event. A failed one leaves its mark on the query, and so on the screen.
 */
async function renew(client: QueryClient, matches: (query: Query) => boolean): Promise<void> {
  // In a hidden tab a failed reading is not tried again until somebody looks, and would be waited for until then.
  await client.cancelQueries({ type: 'active', fetchStatus: 'paused', predicate: matches });
  const early = new Set(
    client.getQueryCache().findAll({ type: 'active', fetchStatus: 'fetching', predicate: matches }),
  );
  await client.invalidateQueries({ predicate: matches }, { cancelRefetch: false });
  if (early.size === 0) return;
  await client.refetchQueries(
    { type: 'active', predicate: (query) => early.has(query) && matches(query) },
    { cancelRefetch: false },
  );
}

/** A report may be open under its number as well as its id; whose number it is is known once it is there. */
function renewReports(client: QueryClient, ids: ReadonlySet<string>): Promise<void> {
  return renew(client, ({ queryKey, state }) => {
    if (queryKey[0] !== 'incident') return false;
    const held = state.data as Stamped<IncidentReport> | undefined;
    if (held === undefined && state.fetchStatus === 'fetching') return true;
    return ids.has(String(queryKey[1])) || (held !== undefined && ids.has(held.value.id));
  });
}

const MOST_SINGLE_READS = 4;

/** Puts the changed rows of long lists in place, and asks only for those. Answers which are left for the next turn. */
async function renewRows(client: QueryClient, ids: ReadonlySet<string>): Promise<Iterable<string>> {
  type Pages = InfiniteData<Stamped<Page<IncidentSummary>>>;
  const left = new Set<string>();
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
    const single = [...ids].filter((id) => shown.has(id) && !inHead.has(id));
    for (const id of single.slice(MOST_SINGLE_READS)) left.add(id);
    const reports = await Promise.all(single.slice(0, MOST_SINGLE_READS).map((id) => readOne(client, id)));
    const fresh = [...head.items, ...reports.flatMap((report) => report ?? [])];
    client.setQueryData<Pages>(query.queryKey, (data) => data && withFresh(data, fresh, head));
  }
  return left;
}
/** A report read again; undefined when there is none any more. */
async function readOne(client: QueryClient, id: string): Promise<IncidentReport | undefined> {
  try {
    return (await client.fetchQuery({ ...incidentQuery(id), staleTime: 0 })).value;
  } catch (error: unknown) {
    if (codeOf(error) === 'incident-not-found') return undefined;
    throw error;
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
