import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { inboxQuery, sessionQuery } from '../api/reads.ts';
import { useCommand } from '../keys/use-keys.ts';
import { Waiting } from '../parts/query-state.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { SkewBanner, StopBanner } from './banners.tsx';
import { Bar } from './bar.tsx';
import { Help } from './help.tsx';
import { Palette } from './palette.tsx';
import { changeSettings, useSettings } from './settings.ts';
import { SignedOut } from './signed-out.tsx';
import { useGoTo } from './use-go-to.ts';
import { useSummons } from './use-summons.ts';

/** The frame around every page: who, how fresh, the switch; then the page. */
export function Shell() {
  const session = useQuery(sessionQuery);
  if (session.isPending) return <p className="first-word">Opening the console…</p>;
  if (session.data === null) return <SignedOut />;
  if (session.data === undefined)
    return (
      <main className="door">
        <section className="panel">
          <h1 className="only-read">Hephaisto</h1>
          <Waiting query={session} what="who you are" />
        </section>
      </main>
    );
  return <Frame />;
}

function Frame() {
  const [open, setOpen] = useState<'help' | 'palette' | undefined>();
  const settings = useSettings();
  const inbox = useQuery(inboxQuery);
  const waiting = inbox.data?.value.items.filter((row) => row.state === 'AwaitingApproval').length ?? 0;
  const summons = useSummons(inbox.data?.value.items, useQuery(sessionQuery).data);
  useGoTo();
  useCommand('help', () => setOpen('help'));
  useCommand('palette', () => setOpen('palette'));
  useCommand('zone', () => changeSettings({ zone: settings.zone === 'local' ? 'utc' : 'local' }));
  useTitle(waiting);
  const main = useRef<HTMLElement>(null);
  const path = useLocation({ select: (location) => location.pathname });
  // A new page is announced and read from its top, as a document would be.
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new path
  useEffect(() => {
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
  }, [path]);
  const close = (): void => setOpen(undefined);
  return (
    <>
      <a className="button skip" href="#main">
        Skip to the page
      </a>
      <Bar waiting={waiting} onHelp={() => setOpen('help')} onPalette={() => setOpen('palette')} />
      <StopBanner />
      <SkewBanner />
      <main id="main" className="page" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
      <p className="only-read" role="status" aria-live="polite">
        {waiting === 0 ? 'nothing waits for approval' : `${waiting} waiting for approval`}
      </p>
      <p className="only-read" role="alert">
        <span key={summons.count}>{summons.word}</span>
      </p>
      <Toasts />
      {open === 'help' ? <Help onClose={close} /> : null}
      {open === 'palette' ? <Palette onClose={close} /> : null}
    </>
  );
}

/** What waits is counted in the title, where a tab in the background shows it. */
function useTitle(waiting: number): void {
  useEffect(() => {
    const keep = document.title.replace(/^\(\d+\) /, '');
    document.title = waiting === 0 ? keep : `(${waiting}) ${keep}`;
  });
}
