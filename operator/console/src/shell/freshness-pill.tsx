import { Icon } from '../parts/icons.tsx';
import { shortDuration } from '../time/duration.ts';
import { clockText } from '../time/instant.ts';
import { useFreshness } from './line-context.ts';
import { useSettings } from './settings.ts';

/** How old the screen is, always in sight. */
export function FreshnessPill() {
  const fresh = useFreshness();
  const settings = useSettings();
  const why = fresh.state === 'live' ? 'the live line is open' : fresh.why;
  return (
    <span className="pill" data-field="freshness" data-state={fresh.state} title={why} role="status" aria-live="off">
      <Icon name={fresh.state === 'live' ? 'dot' : fresh.state === 'stale' ? 'clock' : 'cross'} size={12} />
      {fresh.state === 'offline' ? (
        <>
          OFFLINE <span className="when numbers">since {clockText(new Date(fresh.since), settings)}</span>
        </>
      ) : (
        <>
          {fresh.state === 'live' ? 'LIVE' : 'STALE'}{' '}
          <span className="when numbers">{shortDuration(fresh.seconds)}</span>
        </>
      )}
    </span>
  );
}
