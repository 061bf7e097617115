/** Alertmanager's webhook payloads, as its version 4 writes them. */

export interface TestAlert {
  readonly status?: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly startsAt?: string;
  readonly endsAt?: string;
  readonly fingerprint?: string;
}

/** One alert; its fingerprint follows from its labels as Alertmanager's would. */
export function alert(given: TestAlert): Readonly<Record<string, unknown>> {
  return {
    status: 'firing',
    annotations: {},
    startsAt: '2026-11-30T09:00:00Z',
    endsAt: given.status === 'resolved' ? '2026-11-30T09:05:00Z' : '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus/graph',
    fingerprint: JSON.stringify(Object.entries(given.labels).sort()),
    ...given,
  };
}

export function webhookBody(alerts: readonly unknown[], over: Readonly<Record<string, unknown>> = {}): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify({
      version: '4',
      groupKey: '{}:{alertname="test"}',
      truncatedAlerts: 0,
      status: 'firing',
      receiver: 'hephaisto',
      groupLabels: {},
      commonLabels: {},
      commonAnnotations: {},
      externalURL: 'http://alertmanager',
      alerts,
      ...over,
    }),
  );
}
