import type { Database } from '@hephaisto/core/ports/database';
import { SEVERITIES } from '@hephaisto/core/signal/kind';
import type { MetricsRegistry } from '../adapters/metrics/metrics.ts';
import { readStoredHealth } from '../flow/9-report/health.ts';
import type { ClusterSource } from '../sources/cluster/cluster-source.ts';

/** Sets the gauges that are read rather than counted, then exposes everything. What cannot be read keeps its last value. */
export async function exposeWithGauges(
  metrics: MetricsRegistry,
  parts: {
    readonly db: Database;
    readonly source: ClusterSource | undefined;
    readonly stopped: () => Promise<boolean>;
  },
): Promise<{ readonly contentType: string; readonly body: string }> {
  try {
    const health = await readStoredHealth(parts.db);
    for (const severity of SEVERITIES)
      metrics.gauge('incidents_open', health.incidentsOpen[severity] ?? 0, { severity });
    for (const [stage, depth] of Object.entries(health.queues)) metrics.gauge('queue_depth', depth, { stage });
    metrics.gauge('undos_retrying', health.undosRetrying);
    for (const [work, count] of Object.entries(health.unreadable)) metrics.gauge('unreadable_work', count, { work });
    metrics.gauge('killswitch_active', (await parts.stopped()) ? 1 : 0);
  } catch {
    metrics.count('metrics_refused_total', { reason: 'store-unavailable' });
  }
  metrics.gauge('embedded_database_restarts', parts.db.engine?.().restarts ?? 0);
  for (const feed of parts.source?.health() ?? []) {
    if (feed.lastHeardAt !== undefined)
      metrics.gauge('informer_last_event_timestamp_seconds', feed.lastHeardAt.getTime() / 1000, {
        resource: feed.resource,
      });
  }
  return metrics.expose();
}
