/** Bounded label values only: never a pod, an incident or a fingerprint. */
export type Labels = Readonly<Record<string, string>>;

/** Counters, histograms and gauges by their full name without prefix (e.g. `dedup_total`). Never throws. */
export interface Metrics {
  count(name: string, labels?: Labels, amount?: number): void;
  observe(name: string, value: number, labels?: Labels): void;
  gauge(name: string, value: number, labels?: Labels): void;
}

/** Where a span belongs, each as the header `traceparent` writes it. */
export interface SpanOrigin {
  /** Absent: the span under way, if there is one. */
  readonly parent?: string | undefined;
  /** Traces that led here without being its parent, such as those of each signal in a batch. */
  readonly links?: readonly string[];
}

/** Runs work inside a span; the span ends with the work and records its error. Attribute values are plain. */
export interface Tracer {
  /** Whether spans go anywhere; without that nobody need look up where one belongs. */
  readonly recording: boolean;
  span<T>(
    name: string,
    attributes: Readonly<Record<string, string | number | boolean>>,
    work: () => Promise<T>,
    origin?: SpanOrigin,
  ): Promise<T>;
  /** The span under way as the header `traceparent` writes it. */
  current(): string | undefined;
}

/** Runs work and records nothing. */
export const UNTRACED: Tracer = {
  recording: false,
  span: (_name, _attributes, work) => work(),
  current: () => undefined,
};

export type LogFields = Readonly<Record<string, unknown>>;

/** One JSON line a call. At warn and error the message is a constant string; what varies goes into fields, redacted before it is written. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
