import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { healthQuery } from '../api/reads.ts';
import { storiesQuery } from '../api/stories.ts';
import { Mark } from '../parts/icons.tsx';
import { clockText, zoneName } from '../time/instant.ts';
import { Account } from './account.tsx';
import { FreshnessPill } from './freshness-pill.tsx';
import { KillSwitch } from './kill-switch.tsx';
import { useServerNow } from './line-context.ts';
import { changeSettings, useSettings } from './settings.ts';

interface BarProps {
  readonly waiting: number;
  readonly onHelp: () => void;
  readonly onPalette: () => void;
}

export function Bar({ waiting, onHelp, onPalette }: BarProps) {
  const health = useQuery(healthQuery);
  const cluster = health.data?.value.cluster;
  return (
    <header className="bar">
      <Link to="/" className="brand" aria-label="Hephaisto, to the inbox">
        <Mark />
        <span className="word">Hephaisto</span>
      </Link>
      {cluster === null || cluster === undefined ? null : (
        <span className="cluster cut" data-field="cluster" title={cluster.id}>
          {cluster.name}
        </span>
      )}
      <nav className="nav" aria-label="Pages">
        <Pages waiting={waiting} />
      </nav>
      <span className="push" />
      <FreshnessPill />
      <KillSwitch />
      <Clock />
      <Account onHelp={onHelp} onPalette={onPalette} waiting={waiting} />
    </header>
  );
}

/** Links to every page; the story picker only where there are stories. */
export function Pages({ waiting }: { readonly waiting: number }) {
  const stories = useQuery(storiesQuery);
  const health = useQuery(healthQuery);
  const status = health.data?.value.status;
  return (
    <>
      <Link to="/" activeOptions={{ exact: true, includeSearch: false }}>
        Inbox
      </Link>
      <Link to="/incidents" activeOptions={{ exact: true, includeSearch: false }}>
        Incidents
      </Link>
      <Link to="/approvals" activeOptions={{ includeSearch: false }}>
        Approvals
        {waiting === 0 ? null : (
          <span className="count">
            {waiting}
            <span className="only-read"> waiting</span>
          </span>
        )}
      </Link>
      <Link to="/actions" activeOptions={{ includeSearch: false }}>
        Actions
      </Link>
      <Link to="/health">
        Health
        {status === undefined || status === 'ok' ? null : (
          <span className="count">
            !<span className="only-read"> {status}</span>
          </span>
        )}
      </Link>
      {stories.data === null || stories.data === undefined ? null : <Link to="/stories">Stories</Link>}
    </>
  );
}

/** The hour in the reader's zone, with the other beside it; a press swaps them everywhere. */
function Clock() {
  const now = new Date(useServerNow());
  const settings = useSettings();
  const other = settings.zone === 'local' ? 'utc' : 'local';
  const zone = zoneName(now, settings);
  const otherZone = zoneName(now, { zone: other });
  return (
    <button
      type="button"
      className="clock numbers"
      onClick={() => changeSettings({ zone: other })}
      title="Swap the zone of all times (u)"
    >
      {clockText(now, settings)} {zone}
      {zone === otherZone ? null : (
        <span className="other">
          {' '}
          ({clockText(now, { zone: other }).slice(0, 5)} {otherZone})
        </span>
      )}
    </button>
  );
}
