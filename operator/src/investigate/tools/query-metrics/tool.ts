import { renderSamples } from '@hephaisto/core/evidence/tables/metrics';
import type { MetricSample, MetricsReader } from '@hephaisto/core/ports/observability';
import { plainTool } from '../../tool.ts';
import { queryMetricsArgs } from './schema.ts';

export function queryMetrics(metrics: MetricsReader) {
  return plainTool<readonly MetricSample[], { query: string }>({
    name: 'query_metrics',
    description: 'Values of a PromQL query now, the largest first.',
    schema: queryMetricsArgs,
    wouldHaveTold: 'what the metrics say now',
    read: (args, signal) => metrics.instant(args.query, signal),
    render: (samples, args) => renderSamples(args.query, samples),
  });
}
