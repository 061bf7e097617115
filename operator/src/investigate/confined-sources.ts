import { confineQuery, NAMESPACE_LABELS } from '@hephaisto/core/evidence/confine-query';
import type { KubeFailure, KubeRead } from '@hephaisto/core/ports/kube';
import type { AlertingReader, MetricsReader, SeenAlert, SeenSilence } from '@hephaisto/core/ports/observability';
import { RE2JS } from 're2js';

/** A longer pattern is taken to reach every namespace. */
const LONGEST_PATTERN = 1_000;

/** The same metrics without those of closed namespaces, which stay out of every sum, too. */
export function confinedMetrics(metrics: MetricsReader, closed: readonly string[]): MetricsReader {
  async function confined<T>(query: string, ask: (query: string) => Promise<KubeRead<T>>): Promise<KubeRead<T>> {
    const made = confineQuery(query, closed);
    return made.kind === 'confined' ? ask(made.query) : refused(made.message);
  }
  return {
    instant: (query, signal) => confined(query, (safe) => metrics.instant(safe, signal)),
    range: (query, window, signal) => confined(query, (safe) => metrics.range(safe, window, signal)),
  };
}

/** The same alerts and silences without those that are of a closed namespace, or might be. */
export function confinedAlerting(
  alerting: AlertingReader,
  closed: readonly string[],
  alsoNamed: readonly string[],
): AlertingReader {
  const labels = new Set<string>([...NAMESPACE_LABELS, ...alsoNamed]);
  const isOpen = (alert: SeenAlert) =>
    !Object.entries(alert.labels).some(([name, value]) => labels.has(name) && closed.includes(value));
  return {
    async alerts(signal) {
      const read = await alerting.alerts(signal);
      return read.kind === 'ok' ? { kind: 'ok', value: read.value.filter(isOpen) } : read;
    },
    async silences(signal) {
      const read = await alerting.silences(signal);
      if (read.kind !== 'ok') return read;
      return { kind: 'ok', value: read.value.filter((silence) => !reaches(silence, labels, closed)) };
    },
  };
}

/** Whether a silence is for a closed namespace. A pattern that cannot be read is taken to be. */
function reaches({ matchers }: SeenSilence, labels: ReadonlySet<string>, closed: readonly string[]): boolean {
  return matchers.some((matcher) => {
    const [, label = '', sign = '', value = ''] = /^([^=!~]+)(!?=~?)(.*)$/su.exec(matcher) ?? [];
    if (!labels.has(label) || sign.startsWith('!')) return false;
    return closed.some((name) => (sign === '=' ? name === value : matches(value, name)));
  });
}

/** Alertmanager's own engine: its pattern comes from whoever may write a silence, and the engine of JavaScript can be held for ever. */
function matches(pattern: string, name: string): boolean {
  if (pattern.length > LONGEST_PATTERN) return true;
  try {
    return RE2JS.matches(pattern, name);
  } catch {
    return true;
  }
}

function refused(message: string): KubeFailure {
  return { kind: 'failure', reason: 'invalid', message };
}
