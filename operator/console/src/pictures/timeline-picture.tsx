import { type Entry, LANES } from '../incident/timeline-entries.ts';
import { useSettings } from '../shell/settings.ts';
import { clockText } from '../time/instant.ts';
import { timeScale, timeTicks } from './scale.ts';
import { useWidth } from './use-width.ts';

const LANE = 22;
const LEFT = 64;

/** What happened, a lane a kind: the eye sees what came before what. The list below it says each in words. */
export function TimelinePicture({ entries }: { readonly entries: readonly Entry[] }) {
  const [box, width] = useWidth<HTMLDivElement>(800);
  const settings = useSettings();
  const times = entries.map((entry) => Date.parse(entry.at));
  if (times.length === 0) return null;
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const x = (at: number): number => LEFT + timeScale(from, to, width - LEFT - 10)(at);
  const height = LANES.length * LANE + 18;
  return (
    <div className="timeline-picture" ref={box}>
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`Timeline of ${entries.length} entries; the list below names each`}
      >
        {LANES.map((lane, index) => (
          <g key={lane}>
            <text className="tick" x={0} y={index * LANE + 15}>
              {lane}
            </text>
            <line className="grid" x1={LEFT} x2={width - 4} y1={index * LANE + 11} y2={index * LANE + 11} />
          </g>
        ))}
        {timeTicks(from, to, Math.max(2, Math.floor(width / 120))).map((tick) => (
          <text
            key={tick}
            className="tick"
            x={x(tick)}
            y={height - 3}
            textAnchor={x(tick) > width - 40 ? 'end' : 'middle'}
          >
            {clockText(new Date(tick), settings)}
          </text>
        ))}
        {entries.map((entry) => {
          const [cx, cy] = [x(Date.parse(entry.at)), LANES.indexOf(entry.lane) * LANE + 11];
          return (
            <g key={entry.key} className="point" data-tone={entry.tone}>
              <title>{`${clockText(new Date(entry.at), settings)} ${entry.text}`}</title>
              {entry.lane === 'changes' ? (
                <rect x={cx - 5} y={cy - 5} width="10" height="10" transform={`rotate(45 ${cx} ${cy})`} />
              ) : entry.lane === 'signals' ? (
                <path d={`M${cx} ${cy - 6}l6 11h-12z`} />
              ) : entry.lane === 'acts' ? (
                <rect x={cx - 5} y={cy - 5} width="10" height="10" rx="2" />
              ) : (
                <circle cx={cx} cy={cy} r="5" />
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}
