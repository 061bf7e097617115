import { z } from 'zod';
import { DISPOSITIONS } from '../signal/observation.ts';
import { IncidentRef, Instant } from './named.ts';

/** What a source said, and what became of it. */
export const Signal = z
  .object({
    id: z.uuid(),
    source: z.string(),
    kind: z.string(),
    severity: z.string(),
    reason: z.string(),
    message: z.string().nullable(),
    status: z.enum(['firing', 'resolved', 'unknown']).meta({
      description: '`unknown`: the object can no longer be read, so nobody knows whether the condition lasts',
    }),
    statusReason: z.string().nullable().meta({ description: 'Why the status is unknown' }),
    namespace: z.string().nullable(),
    ownerKind: z.string().nullable(),
    ownerName: z.string().nullable(),
    ownerChain: z.array(z.string()),
    podName: z.string().nullable(),
    nodeName: z.string().nullable(),
    labels: z.record(z.string(), z.string()),
    fingerprint: z.string(),
    disposition: z.enum(DISPOSITIONS),
    dispositionReason: z.string().nullable(),
    occurrences: z.int(),
    startsAt: Instant.nullable(),
    endsAt: Instant.nullable(),
    receivedAt: Instant,
    lastSeenAt: Instant,
    isSelf: z.boolean(),
    incident: IncidentRef.nullable(),
  })
  .meta({ id: 'Signal' });
export type Signal = z.infer<typeof Signal>;
