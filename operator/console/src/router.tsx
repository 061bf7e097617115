import type { QueryClient } from '@tanstack/react-query';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { formatSearch, parseSearch, type Search } from './api/filters.ts';
import { incidentQuery } from './api/reads.ts';
import { Inbox } from './pages/inbox.tsx';
import { NotFound } from './pages/not-found.tsx';
import { Opening } from './pages/opening.tsx';
import { Shell } from './shell/shell.tsx';

/** A page whose code is not there by now gets a word in its place; the frame around it is drawn at once. Milliseconds. */
export const LATE_MS = 300;

/** Every page takes its filters from the address, as plain words. */
function asSearch(search: Record<string, unknown>): Search {
  return Object.fromEntries(
    Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

export function createConsoleRouter(client: QueryClient) {
  const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, validateSearch: asSearch });
  const at = <P extends string>(path: P) => ({ getParentRoute: () => root, path });
  const incident = createRoute({
    ...at('/incidents/$id'),
    // Asked for while the page's own code is still on its way.
    loader: ({ params }) => void client.prefetchQuery(incidentQuery(params.id)),
    component: lazyRouteComponent(() => import('./pages/incident.tsx'), 'IncidentPage'),
  });
  const routes = root.addChildren([
    createRoute({ ...at('/'), component: Inbox }),
    createRoute({
      ...at('/incidents'),
      component: lazyRouteComponent(() => import('./pages/incidents.tsx'), 'Incidents'),
    }),
    incident,
    createRoute({
      ...at('/incidents/$id/evidence/$step'),
      component: lazyRouteComponent(() => import('./pages/evidence.tsx'), 'EvidencePage'),
    }),
    createRoute({
      ...at('/incidents/$id/transcript'),
      component: lazyRouteComponent(() => import('./model/transcript-page.tsx'), 'TranscriptPage'),
    }),
    createRoute({
      ...at('/approvals'),
      component: lazyRouteComponent(() => import('./pages/approvals.tsx'), 'Approvals'),
    }),
    createRoute({ ...at('/actions'), component: lazyRouteComponent(() => import('./pages/actions.tsx'), 'Actions') }),
    createRoute({ ...at('/health'), component: lazyRouteComponent(() => import('./pages/health.tsx'), 'HealthPage') }),
    createRoute({ ...at('/rights'), component: lazyRouteComponent(() => import('./pages/rights.tsx'), 'Rights') }),
    createRoute({ ...at('/stories'), component: lazyRouteComponent(() => import('./pages/stories.tsx'), 'Stories') }),
  ]);
  return createRouter({
    routeTree: routes,
    parseSearch,
    stringifySearch: formatSearch,
    scrollRestoration: true,
    defaultPreload: 'intent',
    defaultPendingMs: LATE_MS,
    defaultPendingMinMs: 0,
    defaultPendingComponent: Opening,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
