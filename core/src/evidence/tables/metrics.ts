import type { MetricSample, MetricSeries, SeenAlert, SeenSilence } from '../../ports/observability.ts';
import { isStorableTime } from '../../signal/storable-time.ts';
import { oneLine } from './text.ts';

const SHOWN_SERIES = 20;
const SHOWN_POINTS = 24;
const SHOWN_ALERTS = 60;

/** The largest first: what stands out is what is looked for. */
export function renderSamples(query: string, samples: readonly MetricSample[]): string {
  const sorted = [...samples].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  return [
    `${oneLine(query, 300)}: ${samples.length} values`,
    ...sorted.slice(0, SHOWN_SERIES).map(({ labels, value }) => `${labelText(labels)} = ${number(value)}`),
    ...omitted(samples.length),
  ].join('\n');
}

/**
 * Each series as its least, greatest, first and last value and some points between; those that moved most, by their own measure, first. A
 * point that is left out lies between the ones shown, and the extremes are always told.
 */
export function renderSeries(query: string, series: readonly MetricSeries[]): string {
  const sorted = [...series].sort((a, b) => movement(b) - movement(a));
  return [
    `${oneLine(query, 300)}: ${series.length} series`,
    ...sorted.slice(0, SHOWN_SERIES).flatMap(seriesLines),
    ...omitted(series.length),
  ].join('\n');
}

function seriesLines({ labels, points }: MetricSeries): readonly string[] {
  const values = points.map(([, value]) => value).filter(Number.isFinite);
  const [first] = values;
  if (first === undefined) return [`${labelText(labels)}: no values`];
  const last = values.at(-1) ?? first;
  const least = values.reduce((a, b) => Math.min(a, b));
  const most = values.reduce((a, b) => Math.max(a, b));
  return [
    `${labelText(labels)}: first ${number(first)}, last ${number(last)}, least ${number(least)}, most ${number(most)}`,
    `  ${downsample(points)
      .map(([at, value]) => `${clock(at)} ${number(value)}`)
      .join(', ')}`,
  ];
}

function downsample(points: MetricSeries['points']): MetricSeries['points'] {
  if (points.length <= SHOWN_POINTS) return points;
  const step = (points.length - 1) / (SHOWN_POINTS - 1);
  return Array.from({ length: SHOWN_POINTS }, (_, i) => points[Math.round(i * step)] ?? [0, 0]);
}

/** How far a series moved for its size: a jump from 1 to 10 counts more than one from 1,000 to 1,010. */
function movement({ points }: MetricSeries): number {
  const values = points.map(([, value]) => value).filter(Number.isFinite);
  if (values.length === 0) return -1;
  const least = values.reduce((a, b) => Math.min(a, b));
  const most = values.reduce((a, b) => Math.max(a, b));
  return (most - least) / (Math.abs(most) + Math.abs(least) + 1e-9);
}

export function renderAlerts(alerts: readonly SeenAlert[]): string {
  return [
    `alerts: ${alerts.length}`,
    ...alerts
      .slice(0, SHOWN_ALERTS)
      .map(
        (alert) =>
          `${alert.state}${alert.silenced ? ' silenced' : ''} since ${alert.since} ${labelText(alert.labels)}${alert.summary === '' ? '' : `: ${oneLine(alert.summary, 300)}`}`,
      ),
    ...(alerts.length > SHOWN_ALERTS ? [`[${alerts.length - SHOWN_ALERTS} of ${alerts.length} alerts omitted]`] : []),
  ].join('\n');
}

export function renderSilences(silences: readonly SeenSilence[]): string {
  return [
    `silences in force: ${silences.length}`,
    ...silences
      .slice(0, SHOWN_ALERTS)
      .map(
        (silence) =>
          `${silence.matchers.join(', ')} until ${silence.endsAt} by ${oneLine(silence.createdBy, 80)}: ${oneLine(silence.comment, 200)}`,
      ),
  ].join('\n');
}

function omitted(count: number): readonly string[] {
  return count > SHOWN_SERIES ? [`[${count - SHOWN_SERIES} of ${count} omitted]`] : [];
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const { __name__: name = '', ...rest } = labels;
  const pairs = Object.entries(rest).map(([key, value]) => `${key}="${oneLine(value, 120)}"`);
  return `${name}{${pairs.join(', ')}}`;
}

function number(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}

function clock(seconds: number): string {
  const time = new Date(seconds * 1_000);
  return isStorableTime(time) ? time.toISOString().slice(11, 19) : '?';
}
