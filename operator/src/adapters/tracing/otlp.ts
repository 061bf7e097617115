import { SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type SpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { TracerHandle } from './tracer-handle.ts';

/** Starts sending spans to an OTLP collector. The endpoint is the base address, as `OTEL_EXPORTER_OTLP_ENDPOINT` has it. */
export function startOtlp(endpoint: string, version: string): TracerHandle {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  return startWith(new BatchSpanProcessor(new OTLPTraceExporter({ url })), version);
}

/** The same with a processor of the caller's. */
export function startWith(processor: SpanProcessor, version: string): TracerHandle {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'hephaisto', 'service.version': version }),
    spanProcessors: [processor],
  });
  // Registers the context manager too, without which a child span would not find its parent across an await.
  provider.register();
  const tracer = provider.getTracer('hephaisto', version);
  let closing: Promise<void> | undefined;
  return {
    tracer: {
      span: (name, attributes, work) =>
        tracer.startActiveSpan(name, { attributes }, async (span) => {
          try {
            return await work();
          } catch (error: unknown) {
            span.recordException(error instanceof Error ? error : String(error));
            span.setStatus({ code: SpanStatusCode.ERROR });
            throw error;
          } finally {
            span.end();
          }
        }),
    },
    traceId: () => trace.getActiveSpan()?.spanContext().traceId,
    close: () => {
      closing ??= provider.shutdown();
      return closing;
    },
  };
}
