import type { Labels, Metrics } from '@hephaisto/core/ports/telemetry';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { METRICS, type MetricDefinition } from './definitions.ts';

const PREFIX = 'hephaisto_';
/** More label sets than this of one metric mean that something unbounded got into a label. */
const MOST_SERIES = 300;

export interface MetricsRegistry extends Metrics {
  /** The exposition format, with its content type. */
  expose(): Promise<{ readonly contentType: string; readonly body: string }>;
}

type Instrument = Counter | Gauge | Histogram;

/**
 * The closed list of metrics on a registry of its own. A name or label that is not defined, or one label set too many, is counted as
 * refused and otherwise ignored: measuring must never break what is measured.
 */
export function createMetrics(version: string): MetricsRegistry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: PREFIX });
  const instruments = new Map(
    Object.entries(METRICS).map(([name, definition]) => [name, create(name, definition, registry)]),
  );
  const series = new Map<string, Set<string>>();

  function refuse(reason: string): void {
    const counter = instruments.get('metrics_refused_total');
    if (counter instanceof Counter) counter.inc({ reason });
  }

  function take<T extends Instrument>(kind: new (...args: never[]) => T, name: string, labels: Labels): T | undefined {
    const instrument = instruments.get(name);
    const definition = METRICS[name];
    if (definition === undefined || !(instrument instanceof kind)) {
      refuse('unknown-metric');
      return undefined;
    }
    if (!sameNames(Object.keys(labels), definition.labels)) {
      refuse('unknown-label');
      return undefined;
    }
    const seen = series.get(name) ?? new Set();
    series.set(name, seen);
    const key = JSON.stringify(definition.labels.map((label) => labels[label]));
    if (!seen.has(key) && seen.size >= MOST_SERIES) {
      refuse('too-many-series');
      return undefined;
    }
    seen.add(key);
    return instrument;
  }

  const metrics: MetricsRegistry = {
    count: (name, labels = {}, amount = 1) => take(Counter, name, labels)?.inc(labels, amount),
    observe: (name, value, labels = {}) => take(Histogram, name, labels)?.observe(labels, value),
    gauge: (name, value, labels = {}) => take(Gauge, name, labels)?.set(labels, value),
    expose: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
  metrics.gauge('build_info', 1, { version });
  return metrics;
}

function create(name: string, definition: MetricDefinition, registry: Registry): Instrument {
  const options = {
    name: `${PREFIX}${name}`,
    help: definition.help,
    labelNames: [...definition.labels],
    registers: [registry],
  };
  switch (definition.kind) {
    case 'counter':
      return new Counter(options);
    case 'gauge':
      return new Gauge(options);
    case 'histogram':
      return new Histogram({ ...options, buckets: [...(definition.buckets ?? [])] });
  }
}

function sameNames(given: readonly string[], defined: readonly string[]): boolean {
  return given.length === defined.length && given.every((name) => defined.includes(name));
}
