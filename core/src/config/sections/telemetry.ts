import { z } from 'zod';

/** What the process says about itself. Nothing is sent anywhere unless an endpoint is named. */
export const telemetrySection = z.strictObject({
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('Least severe line that is logged.'),
  otlpEndpoint: z
    .url()
    .optional()
    .describe('Where spans are sent by OTLP over HTTP. `OTEL_EXPORTER_OTLP_ENDPOINT` sets it too.'),
});
