import { renderSeries } from '@hephaisto/core/evidence/tables/metrics';
import type { MetricSeries, MetricsReader } from '@hephaisto/core/ports/observability';
import { plainTool } from '../../tool.ts';
import { queryMetricsRangeArgs } from './schema.ts';

export function queryMetricsRange(metrics: MetricsReader) {
  return plainTool<readonly MetricSeries[], { query: string; minutes: number; stepSeconds: number }>({
    name: 'query_metrics_range',
    description: 'A PromQL query over time until now: what moved most first, with extremes, first and last values.',
    schema: queryMetricsRangeArgs,
    wouldHaveTold: 'how the metrics moved before and during the fault',
    read: ({ query, ...window }, signal) => metrics.range(query, window, signal),
    render: (series, args) => renderSeries(args.query, series),
  });
}
