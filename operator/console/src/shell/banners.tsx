import { Icon } from '../parts/icons.tsx';
import { At } from '../parts/time.tsx';
import { durationText } from '../time/duration.ts';
import { useStop } from './kill-switch.tsx';
import { useSkew } from './line-context.ts';

/** On every page while the stop is on: who, when, why, and what still runs. */
export function StopBanner() {
  const { on, item } = useStop();
  if (on !== true) return null;
  return (
    <div className="banner" data-tone="bad" data-field="stop-banner" role="alert">
      <span className="tag" data-tone="bad">
        <Icon name="stop" />
        All actions are stopped
      </span>
      {item === undefined ? null : (
        <span className="wrap-any">
          {item.setBy === null ? 'set outside the console' : `by ${item.setBy.name}`}
          {item.setAt === null ? null : (
            <>
              {' at '}
              <At instant={item.setAt} />
            </>
          )}
          {item.reason === null ? null : <>: {item.reason}</>}
        </span>
      )}
      <span className="soft">Nothing is sent to the cluster, undoing included. Watching and investigating go on.</span>
    </div>
  );
}

const MUCH_MS = 30_000;

/** A device whose clock is wrong shows wrong times; better said than guessed at. */
export function SkewBanner() {
  const skew = useSkew();
  if (Math.abs(skew) < MUCH_MS) return null;
  return (
    <div className="banner" data-tone="warn" role="status">
      This device’s clock is {durationText(Math.abs(skew) / 1000)} {skew > 0 ? 'behind' : 'ahead of'} the server’s.
      Times here follow the server.
    </div>
  );
}
