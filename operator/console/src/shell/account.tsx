import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { sessionQuery } from '../api/reads.ts';
import { rightTo, rolesText } from '../api/rights.ts';
import { signOut } from '../api/writes.ts';
import { Icon } from '../parts/icons.tsx';
import { At } from '../parts/time.tsx';
import { Pages } from './pages.tsx';
import { changeSettings, type Settings, useSettings } from './settings.ts';

interface AccountProps {
  readonly waiting: number;
  readonly onHelp: () => void;
  readonly onPalette: () => void;
}

const THEMES: Readonly<Record<Settings['theme'], Settings['theme']>> = {
  system: 'light',
  light: 'dark',
  dark: 'system',
};

/** Who is signed in and as what; settings; on a narrow screen the pages too. */
export function Account({ waiting, onHelp, onPalette }: AccountProps) {
  const [open, setOpen] = useState(false);
  const session = useQuery(sessionQuery).data;
  const settings = useSettings();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const leave = (event: Event): void => {
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !box.current?.contains(event.target as Node))
        setOpen(false);
    };
    addEventListener('pointerdown', leave);
    addEventListener('keydown', leave);
    return () => {
      removeEventListener('pointerdown', leave);
      removeEventListener('keydown', leave);
    };
  }, [open]);
  if (session === null || session === undefined) return null;
  const leave = async (): Promise<void> => {
    await signOut().catch(() => undefined);
    // A new document, so that nothing of what was read stays in this one.
    location.assign('/');
  };
  return (
    <div ref={box}>
      <button
        type="button"
        className="icon-button"
        aria-label="Menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name="menu" size={16} />
      </button>
      {open ? (
        <div className="menu">
          <p className="who">
            <strong>{session.name}</strong>
            <br />
            <span className="soft" data-field="role">
              {rolesText(session)}
            </span>
            {session.expiresAt === null ? null : (
              <>
                <br />
                <span className="faint">
                  signed in until <At instant={session.expiresAt} />
                </span>
              </>
            )}
          </p>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the links inside answer the keyboard */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: only closes the menu behind the link that was followed */}
          <div className="only-small" onClick={() => setOpen(false)}>
            <Pages waiting={waiting} />
          </div>
          <Item onClick={onPalette} then={() => setOpen(false)} keys="Ctrl K">
            Jump to…
          </Item>
          <Item onClick={onHelp} then={() => setOpen(false)} keys="?">
            Keyboard
          </Item>
          <Item onClick={() => changeSettings({ theme: THEMES[settings.theme] })}>Theme: {settings.theme}</Item>
          <Item onClick={() => changeSettings({ zone: settings.zone === 'local' ? 'utc' : 'local' })} keys="u">
            Times: {settings.zone === 'local' ? 'your zone' : 'UTC'}
          </Item>
          <Item onClick={() => changeSettings({ sound: settings.sound === 'on' ? 'off' : 'on' })}>
            Sound when you are needed: {settings.sound}
          </Item>
          {rightTo(session, 'admin', null).kind === 'may' ? (
            <Link to="/rights" onClick={() => setOpen(false)}>
              Rights of accounts
            </Link>
          ) : null}
          <a href="/docs">API reference</a>
          <Item onClick={() => void leave()}>Sign out</Item>
        </div>
      ) : null}
    </div>
  );
}

interface ItemProps {
  readonly onClick: () => void;
  readonly then?: () => void;
  readonly keys?: string;
  readonly children: React.ReactNode;
}

function Item({ onClick, then, keys, children }: ItemProps) {
  return (
    <button
      type="button"
      onClick={() => {
        onClick();
        then?.();
      }}
    >
      <span>{children}</span>
      {keys === undefined ? null : <kbd>{keys}</kbd>}
    </button>
  );
}
