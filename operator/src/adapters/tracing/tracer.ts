import { UNTRACED } from '@hephaisto/core/ports/telemetry';
import type { TracerHandle } from './tracer-handle.ts';

/** Runs work without a span: nothing is loaded, nothing is sent. */
export const NO_TRACER: TracerHandle = {
  tracer: UNTRACED,
  traceId: () => undefined,
  close: () => Promise.resolve(),
};

/**
 * Spans sent by OTLP over HTTP to the endpoint; without one nothing of OpenTelemetry is even loaded, since it costs a quarter of a second
 * and memory that most installations have no use for.
 */
export async function createTracer(endpoint: string | undefined, version: string): Promise<TracerHandle> {
  if (endpoint === undefined) return NO_TRACER;
  const { startOtlp } = await import('./otlp.ts');
  return startOtlp(endpoint, version);
}
