import type { KubeRead } from './kube.ts';

export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Points in order of time; seconds since 1970. */
export interface MetricSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [seconds: number, value: number])[];
}

/** Read-only questions to a metrics store in PromQL. Never throws; bounded in time and size. An aborted signal ends the request. */
export interface MetricsReader {
  instant(query: string, signal?: AbortSignal): Promise<KubeRead<readonly MetricSample[]>>;
  range(
    query: string,
    window: { readonly minutes: number; readonly stepSeconds: number },
    signal?: AbortSignal,
  ): Promise<KubeRead<readonly MetricSeries[]>>;
}

export interface SeenAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: string;
  readonly since: string;
  readonly summary: string;
  readonly silenced: boolean;
}

export interface SeenSilence {
  readonly matchers: readonly string[];
  readonly endsAt: string;
  readonly createdBy: string;
  readonly comment: string;
}

/** What the alerting system holds now. Never throws; bounded in time and size. An aborted signal ends the request. */
export interface AlertingReader {
  alerts(signal?: AbortSignal): Promise<KubeRead<readonly SeenAlert[]>>;
  silences(signal?: AbortSignal): Promise<KubeRead<readonly SeenSilence[]>>;
}
