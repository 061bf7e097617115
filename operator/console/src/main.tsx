import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/controls.css';
import './styles/shell.css';
import './styles/inbox.css';
import './styles/lists.css';
import './styles/pages.css';
import './styles/incident.css';
import './styles/proposal.css';
import './styles/pictures.css';
import './styles/tabs.css';
import './styles/evidence.css';
import './styles/review.css';
import './model/model.css';
import './styles/print.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { inboxQuery, mayRetry, sessionQuery } from './api/reads.ts';
import { openLine } from './live/line.ts';
import { createConsoleRouter, LATE_MS } from './router.tsx';
import { LineContext } from './shell/line-context.ts';
import { applyTheme } from './shell/settings.ts';

applyTheme();

const client = new QueryClient({
  defaultOptions: {
    queries: {
      retry: mayRetry,
      retryDelay: 800,
      staleTime: 10_000,
      // The live line renews on focus and on network by itself, in the right order.
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

// Asked for before anything is drawn, so that the first page waits for one answer only.
void client.prefetchQuery(sessionQuery);
if (location.pathname === '/') void client.prefetchQuery(inboxQuery);

const line = openLine(client, () => client.setQueryData(sessionQuery.queryKey, null));
const router = createConsoleRouter(client);
const root = document.getElementById('console');
if (root === null) throw new Error('expected an element `console` in the document, found none');
const drawn = createRoot(root);

function draw(): void {
  drawn.render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <LineContext value={line}>
          <RouterProvider router={router} />
        </LineContext>
      </QueryClientProvider>
    </StrictMode>,
  );
}

// Drawn once the page's own code is there, which the document has asked for long ago: a page that were missing at the first drawing would be
// held back by a third of a second when it came, to spare the eye a flicker. But the switch that stops everything waits for no page.
const late = new Promise((resolve) => setTimeout(resolve, LATE_MS));
Promise.race([router.load(), late]).then(draw, draw);
