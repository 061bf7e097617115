import type { AlertingReader, MetricsReader } from '@hephaisto/core/ports/observability';
import type { AnyTool } from './tool.ts';
import { createToolbox, TOOLBOX, type Toolbox } from './toolbox.ts';
import { getAlerts } from './tools/get-alerts/tool.ts';
import { getSilences } from './tools/get-silences/tool.ts';
import { queryMetrics } from './tools/query-metrics/tool.ts';
import { queryMetricsRange } from './tools/query-metrics-range/tool.ts';

export interface TelemetrySources {
  readonly metrics?: MetricsReader;
  readonly alerting?: AlertingReader;
}

/** The tools of the cluster and of what is configured beside it. What is not there is no tool, so nobody asks for it in vain. */
export function toolboxWith({ metrics, alerting }: TelemetrySources): Toolbox {
  const beside: AnyTool[] = [
    ...(metrics === undefined ? [] : [queryMetrics(metrics), queryMetricsRange(metrics)]),
    ...(alerting === undefined ? [] : [getAlerts(alerting), getSilences(alerting)]),
  ];
  return createToolbox([...TOOLBOX.values(), ...beside]);
}
