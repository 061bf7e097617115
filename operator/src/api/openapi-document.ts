import { parseConfig } from '@hephaisto/core/config/parse';
import type { Database } from '@hephaisto/core/ports/database';
import { UNTRACED } from '@hephaisto/core/ports/telemetry';
import { systemClock, systemTimers } from '../adapters/clock/clock.ts';
import { createIds } from '../adapters/ids/ids.ts';
import type { ApiCommands } from './commands.ts';
import { createApp } from './server.ts';

/** The OpenAPI document as the server serves it, made without a database, a cluster or a port. */
export async function openApiDocument(version: string): Promise<Readonly<Record<string, unknown>>> {
  const parsed = parseConfig(undefined, {});
  if (parsed.kind === 'refused')
    throw new Error('expected the defaults to be a configuration; this is a bug in hephaisto');
  const never = (): never => {
    throw new Error('expected no request while the document is made; this is a bug in hephaisto');
  };
  const { app, close } = await createApp({
    // Routes are only registered, never called; listening is the one thing that happens.
    db: {
      kind: 'pglite',
      listen: async () => async () => undefined,
      query: never,
      execute: never,
      transaction: never,
      close: never,
    } as Database,
    clock: systemClock,
    timers: systemTimers,
    ids: createIds(systemClock),
    log: { debug() {}, info() {}, warn() {}, error() {} },
    metrics: { count() {}, observe() {}, gauge() {} },
    tracer: UNTRACED,
    config: parsed.config,
    version,
    commands: new Proxy({}, { get: never }) as ApiCommands,
    switches: never,
    components: never,
    readiness: never,
    policyHash: never,
    exposeMetrics: never,
  });
  const document = app.swagger() as unknown as Readonly<Record<string, unknown>>;
  await close();
  return document;
}
