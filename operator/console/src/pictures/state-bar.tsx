import type { StateSpan } from '@hephaisto/core/report/incident';
import { INCIDENT_LOOKS, lookOf } from '../parts/words.ts';
import { useServerNow } from '../shell/line-context.ts';
import { shortDuration } from '../time/duration.ts';
import { useWidth } from './use-width.ts';

const HEIGHT = 10;
const LEAST = 3;

/** How long the incident was in each state: from its log, as a bar and in words. */
export function StateBar({ spans }: { readonly spans: readonly StateSpan[] }) {
  const [box, width] = useWidth<HTMLDivElement>(800);
  const now = useServerNow();
  const lengths = spans.map((span) =>
    span.to === null ? Math.max(0, (now - Date.parse(span.from)) / 1000) : span.seconds,
  );
  const whole = lengths.reduce((sum, seconds) => sum + seconds, 0);
  const room = Math.max(0, width - spans.length * LEAST);
  let x = 0;
  return (
    <figure className="state-bar" ref={box} data-field="time-in-states">
      <svg width={width} height={HEIGHT} aria-hidden="true">
        {spans.map((span, index) => {
          const wide = LEAST + (whole === 0 ? 0 : ((lengths[index] ?? 0) / whole) * room);
          const at = x;
          x += wide;
          return (
            <rect
              key={span.from + span.state}
              x={at}
              width={Math.max(1, wide - 1)}
              height={HEIGHT}
              rx="2"
              className="span"
              data-tone={lookOf(INCIDENT_LOOKS, span.state).tone}
            />
          );
        })}
      </svg>
      <figcaption>
        {spans.map((span, index) => (
          <span key={span.from + span.state} className="tag" data-tone={lookOf(INCIDENT_LOOKS, span.state).tone}>
            {lookOf(INCIDENT_LOOKS, span.state).word}{' '}
            <span className="faint numbers">{shortDuration(lengths[index] ?? 0)}</span>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
