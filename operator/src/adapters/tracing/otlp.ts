import type { SpanOrigin } from '@hephaisto/core/ports/telemetry';
import { readTraceparent, writeTraceparent } from '@hephaisto/core/signal/traceparent';
import { context, ROOT_CONTEXT, type SpanContext, SpanStatusCode, trace } from '@opentelemetry/api';
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
      recording: true,
      current() {
        const here = trace.getActiveSpan()?.spanContext();
        return here === undefined ? undefined : writeTraceparent({ ...here, flags: here.traceFlags });
      },
      span: (name, attributes, work, origin) =>
        tracer.startActiveSpan(name, { attributes, links: linksOf(origin) }, parentOf(origin), async (span) => {
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

function parentOf(origin: SpanOrigin | undefined): ReturnType<typeof context.active> {
  const [parent] = contextsOf(origin?.parent === undefined ? [] : [origin.parent]);
  return parent === undefined ? context.active() : trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** Collectors keep some dozens; one trace named twice says nothing more. */
const MOST_LINKS = 64;

function linksOf(origin: SpanOrigin | undefined): { context: SpanContext }[] {
  const links = [...new Set(origin?.links ?? [])].slice(0, MOST_LINKS);
  return contextsOf(links).map((linked) => ({ context: linked }));
}

function contextsOf(headers: readonly string[]): SpanContext[] {
  return headers.flatMap((header) => {
    const position = readTraceparent(header);
    if (position === undefined) return [];
    const { traceId, spanId, flags } = position;
    return [{ traceId, spanId, traceFlags: flags, isRemote: true }];
  });
}
