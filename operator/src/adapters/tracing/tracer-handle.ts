import type { Tracer } from '@hephaisto/core/ports/telemetry';

/** A tracer together with what the process needs of it. */
export interface TracerHandle {
  readonly tracer: Tracer;
  /** Id of the trace under way, where there is one. */
  traceId(): string | undefined;
  /** Sends what is left. Idempotent. */
  close(): Promise<void>;
}
