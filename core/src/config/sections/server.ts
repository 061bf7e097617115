import { z } from 'zod';
import { duration } from '../duration.ts';
import { size } from '../size.ts';

const port = z.int().min(0).max(65_535);

/** The HTTP listener: console, API, webhook, probes. */
export const serverSection = z.strictObject({
  host: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to listen on. Anything but loopback needs `publicUrl`.'),
  port: port.default(8080).describe('Port to listen on; 0 takes a free one and prints it.'),
  metricsPort: port
    .optional()
    .describe(
      'Port of its own for `/metrics`, without authentication. Absent: `/metrics` is served on `port`. Either is asked by an address or by a name in `allowedHosts`.',
    ),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address under which people reach this server; its host is accepted in `Host` and `Origin`.'),
  allowedHosts: z
    .array(
      z
        .string()
        .regex(
          /^(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/,
          'expected a host such as `ops.example.com` or `10.0.0.1:8080`; a pattern is not taken here',
        ),
    )
    .default([])
    .describe('Further values of the `Host` header that are accepted, e.g. the name of the Service in the cluster.'),
  trustProxy: z
    .boolean()
    .default(false)
    .describe('Whether `X-Forwarded-For` and `X-Forwarded-Proto` are believed. Only behind a proxy that sets them.'),
  bodyLimit: size('256KiB', { min: '16KiB', max: '16MiB' }).describe('Largest body of an API request.'),
  requestTimeout: duration('30s', { min: '1s', max: '1h' }).describe('How long a request may take to arrive.'),
  requestsPerMinute: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1200)
    .describe('API requests a minute and account (or address, before sign-in). The webhook is never limited so.'),
  maxEventLoopDelay: duration('5s', { min: '100ms' }).describe(
    'Above this delay of the event loop API requests are answered 503 instead of queueing.',
  ),
  stream: z
    .strictObject({
      perAccount: z
        .int()
        .min(1)
        .max(1000)
        .default(5)
        .describe('Live streams that one account may hold open on one replica.'),
      heartbeat: duration('15s', { min: '1s', max: '5m' }).describe('How often an idle stream sends a comment.'),
      replay: z
        .int()
        .min(1)
        .max(100_000)
        .default(2000)
        .describe('Most events sent again to a client that comes back; one that missed more is told to refetch.'),
    })
    .prefault({}),
  alertmanager: z
    .strictObject({
      token: z.string().min(16).optional().describe('Bearer token that Alertmanager sends. Prefer `tokenFile`.'),
      tokenFile: z.string().min(1).optional().describe('File that holds the bearer token; read at start.'),
    })
    .prefault({}),
});
