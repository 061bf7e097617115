import { formatDuration } from './duration.ts';
import type { ConfigProblem } from './problem.ts';
import type { Config } from './schema.ts';

interface Bound {
  readonly path: string;
  readonly low: number;
  readonly high: number;
  /** The option that holds the higher bound. */
  readonly than: string;
  readonly show: (value: number) => string;
}

/** Pairs of options of which one must not exceed the other, or what they describe can never happen. */
function boundsOf({ notify, incidents, ingest, investigation, model }: Config): readonly Bound[] {
  const time = { show: formatDuration };
  return [
    { path: 'incidents.quiet', low: incidents.quiet, high: incidents.expiry, than: 'incidents.expiry', ...time },
    {
      path: 'ingest.watch.repeatChanged',
      low: ingest.watch.repeatChanged,
      high: ingest.watch.repeat,
      than: 'ingest.watch.repeat',
      ...time,
    },
    {
      path: 'investigation.settle',
      low: investigation.settle,
      high: investigation.deadline,
      than: 'investigation.deadline',
      ...time,
    },
    {
      path: 'notify.firstRetry',
      low: notify.firstRetry,
      high: notify.longestRetry,
      than: 'notify.longestRetry',
      ...time,
    },
    { path: 'notify.longestRetry', low: notify.longestRetry, high: notify.giveUp, than: 'notify.giveUp', ...time },
    {
      path: 'investigation.callTimeout',
      low: investigation.callTimeout,
      high: investigation.deadline,
      than: 'investigation.deadline',
      ...time,
    },
    ...(model.provider === 'none'
      ? []
      : [
          {
            path: 'model.firstByteTimeout',
            low: model.firstByteTimeout,
            high: model.callTimeout,
            than: 'model.callTimeout',
            ...time,
          },
          {
            path: 'model.idleTimeout',
            low: model.idleTimeout,
            high: model.callTimeout,
            than: 'model.callTimeout',
            ...time,
          },
          {
            path: 'model.maxOutputTokens',
            low: model.maxOutputTokens,
            high: model.modelMaxOutputTokens,
            than: 'model.modelMaxOutputTokens',
            show: String,
          },
          {
            path: 'model.graceTime',
            low: model.graceTime,
            high: investigation.deadline,
            than: 'investigation.deadline',
            ...time,
          },
          {
            path: 'model.maxOutputTokens',
            low: model.maxOutputTokens,
            high: model.contextTokens,
            than: 'model.contextTokens',
            show: String,
          },
        ]),
  ];
}

/** Bounds that are each right and leave nothing between them. */
export function impossibleBounds(config: Config): readonly ConfigProblem[] {
  const crossed = boundsOf(config)
    .filter(({ low, high }) => low > high)
    .map(({ path, low, high, than, show }) => ({
      path,
      message: `expected at most \`${than}\` (${show(high)}), found ${show(low)}`,
    }));
  const windows = config.incidents.maintenance.flatMap(({ from, to }, index) =>
    from < to ? [] : [{ path: `incidents.maintenance.${index}.to`, message: 'expected `from` before `to`' }],
  );
  return [...crossed, ...windows];
}
