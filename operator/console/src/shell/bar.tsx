import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { healthQuery } from '../api/reads.ts';
import { Mark } from '../parts/icons.tsx';
import { clockText, zoneName } from '../time/instant.ts';
import { Account } from './account.tsx';
import { FreshnessPill } from './freshness-pill.tsx';
import { KillSwitch } from './kill-switch.tsx';
import { useServerNow } from './line-context.ts';
import { Pages } from './pages.tsx';
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
      <nav className="nav" aria-label="Pages">
        <Pages waiting={waiting} />
      </nav>
      <span className="push" />
      {/* Its name comes later than the pages' and must not push them. */}
      {cluster === null || cluster === undefined ? null : (
        <span className="cluster cut" data-field="cluster" title={cluster.id}>
          {cluster.name}
        </span>
      )}
      <FreshnessPill />
      <KillSwitch />
      <Clock />
      <Account onHelp={onHelp} onPalette={onPalette} waiting={waiting} />
    </header>
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
