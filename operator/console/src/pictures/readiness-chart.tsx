import type { IncidentReport, Sample } from '@hephaisto/core/report/incident';
import { Wide } from '../parts/wide.tsx';
import { useServerNow } from '../shell/line-context.ts';
import { useSettings } from '../shell/settings.ts';
import { clockText } from '../time/instant.ts';
import { stepPath, timeScale, timeTicks } from './scale.ts';
import { useWidth } from './use-width.ts';

const TOP = 14;
const LEFT = 20;

interface Marker {
  readonly at: number;
  readonly kind: 'change' | 'act';
  readonly text: string;
}

/** Ready replicas against wanted ones, restarts as bars, changes and acts as marks. The table below says the same in words. */
export function ReadinessChart({ report }: { readonly report: IncidentReport }) {
  const [box, width] = useWidth<HTMLDivElement>(520);
  // On a narrow screen it stands among five other answers above the fold.
  const height = width < 400 ? 64 : 104;
  const base = height - 16;
  const settings = useSettings();
  const now = useServerNow();
  const samples = [...report.samples].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const [first] = samples;
  if (first === undefined) return null;
  const marks = marksOf(report);
  const last = Date.parse(samples.at(-1)?.at ?? first.at);
  const from = Math.min(Date.parse(first.at), ...marks.map((mark) => mark.at));
  const to = report.open
    ? Math.max(now, last)
    : Math.max(last, Date.parse(report.closedAt ?? first.at), ...marks.map((mark) => mark.at));
  const x = (at: number): number => LEFT + timeScale(from, to, width - LEFT - 4)(at);
  const top = Math.max(1, ...samples.map((sample) => Math.max(sample.desired, sample.ready)));
  const y = (value: number): number => base - (value / top) * (base - TOP);
  const line = (pick: (sample: Sample) => number): string =>
    stepPath(
      samples.map((sample) => [x(Date.parse(sample.at)), y(pick(sample))]),
      x(to),
    );
  const ready = line((sample) => sample.ready);
  return (
    <div className="chart" ref={box}>
      <svg width={width} height={height} role="img" aria-label={spoken(samples, marks)}>
        {[0, top].map((value) => (
          <g key={value}>
            <line className="grid" x1={LEFT} x2={width - 4} y1={y(value)} y2={y(value)} />
            <text className="tick" x={LEFT - 5} y={y(value) + 4} textAnchor="end">
              {value}
            </text>
          </g>
        ))}
        {timeTicks(from, to, Math.max(2, Math.floor(width / 110))).map((tick) => (
          <text
            key={tick}
            className="tick"
            x={x(tick)}
            y={height - 3}
            textAnchor={x(tick) > width - 40 ? 'end' : x(tick) < LEFT + 20 ? 'start' : 'middle'}
          >
            {clockText(new Date(tick), settings)}
          </text>
        ))}
        <path className="lacking" d={`${ready}V${y(0)}H${x(Date.parse(first.at)).toFixed(1)}Z`} />
        <path className="wanted" d={line((sample) => sample.desired)} />
        <path className="ready" d={ready} />
        {restartBars(samples).map((bar) => (
          <line
            key={bar.at}
            className="restart"
            x1={x(bar.at)}
            x2={x(bar.at)}
            y1={base}
            y2={base - Math.min(22, 4 + bar.count * 3)}
          />
        ))}
        {marks.map((mark) => (
          <g key={`${mark.kind} ${mark.at}`} className={`mark-${mark.kind}`}>
            <line x1={x(mark.at)} x2={x(mark.at)} y1={TOP - 4} y2={base} />
            <text
              x={x(mark.at) > width - 70 ? x(mark.at) - 4 : x(mark.at) + 4}
              y={TOP - 4}
              textAnchor={x(mark.at) > width - 70 ? 'end' : 'start'}
            >
              {mark.text}
            </text>
          </g>
        ))}
      </svg>
      <details className="more">
        <summary>The same as a table</summary>
        <Wide what="Samples">
          <table className="table">
            <thead>
              <tr>
                <th>Time</th>
                <th>Ready</th>
                <th>Wanted</th>
                <th>Restarts</th>
              </tr>
            </thead>
            <tbody>
              {samples.slice(-40).map((sample) => (
                <tr key={sample.at}>
                  <td className="numbers">{clockText(new Date(sample.at), settings)}</td>
                  <td>{sample.ready}</td>
                  <td>{sample.desired}</td>
                  <td>{sample.restarts}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Wide>
      </details>
    </div>
  );
}

function marksOf(report: Pick<IncidentReport, 'changes' | 'actions'>): readonly Marker[] {
  const changed = [...new Set(report.changes.flatMap((change) => change.at ?? []))];
  const acted = report.actions.flatMap((action) => action.executedAt ?? []);
  return [
    ...changed.map((at): Marker => ({ at: Date.parse(at), kind: 'change', text: 'change' })),
    ...acted.map((at): Marker => ({ at: Date.parse(at), kind: 'act', text: 'acted' })),
  ];
}

function restartBars(samples: readonly Sample[]): readonly { readonly at: number; readonly count: number }[] {
  return samples.flatMap((sample, index) => {
    const before = samples[index - 1];
    const count = before === undefined ? 0 : sample.restarts - before.restarts;
    return count > 0 ? [{ at: Date.parse(sample.at), count }] : [];
  });
}

function spoken(samples: readonly Sample[], marks: readonly Marker[]): string {
  const now = samples.at(-1);
  const lowest = Math.min(...samples.map((sample) => sample.ready));
  const said = marks.map((mark) => `${mark.text} at ${new Date(mark.at).toISOString()}`).join(', ');
  return `Readiness over time: now ${now?.ready ?? 0} of ${now?.desired ?? 0} ready, lowest ${lowest}. ${said}`;
}
