import { z } from 'zod';
import { ROLES } from '../principal/service.ts';
import { Instant, PersonRef } from './named.ts';

/** One switch as the database holds it, with what is in force once the other arms are counted. */
export const Switch = z
  .object({
    name: z.string(),
    value: z.string(),
    effective: z.string().meta({ description: 'The safest of environment, ConfigMap and row' }),
    arms: z.record(z.string(), z.string()).meta({ description: 'What each arm says' }),
    reason: z.string().nullable(),
    setBy: PersonRef.nullable(),
    setAt: Instant.nullable(),
    version: z.int(),
  })
  .meta({ id: 'Switch' });
export type Switch = z.infer<typeof Switch>;

export const Component = z
  .object({
    name: z.string(),
    status: z.enum(['ok', 'degraded', 'failed', 'off']),
    message: z.string(),
    lost: z.string().nullable().meta({ description: 'What the product cannot do meanwhile' }),
    lastSuccessAt: Instant.nullable(),
  })
  .meta({ id: 'Component' });
export type Component = z.infer<typeof Component>;

export const Health = z
  .object({
    status: z.enum(['ok', 'degraded', 'failed']),
    version: z.string(),
    now: Instant.meta({ description: 'The database’s clock' }),
    cluster: z.object({ id: z.string(), name: z.string() }).nullable(),
    components: z.array(Component),
    queues: z.record(z.string(), z.int()),
    intake: z.object({ lastReceivedAt: Instant.nullable(), pending: z.int(), poison: z.int() }),
    budgets: z.array(
      z.object({ name: z.string(), unit: z.string(), used: z.number(), limit: z.number(), windowSeconds: z.int() }),
    ),
    incidentsOpen: z.record(z.string(), z.int()),
    unreadable: z
      .object({ bodies: z.int(), investigations: z.int(), plans: z.int() })
      .meta({ description: 'Work of the last day that is not tried again, since the processes that did it died' }),
    undosRetrying: z.int().meta({ description: 'Undos that were refused and wait for their next try' }),
    actions: z.object({ enabled: z.boolean(), mode: z.string(), emergencyStop: z.boolean() }),
    policyHash: z.string().nullable(),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof Health>;

export const Session = z
  .object({
    subject: z.string(),
    name: z.string(),
    via: z.enum(['session', 'token', 'kubernetes']),
    grants: z.array(z.object({ role: z.enum(ROLES), namespace: z.string() })),
    expiresAt: Instant.nullable(),
    csrfToken: z
      .string()
      .nullable()
      .meta({ description: 'To be sent as X-CSRF-Token with every write of this session' }),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof Session>;
