import { z } from 'zod';
import { Instant, Sha256 } from './named.ts';

/** One call that left the cluster: when, to whom, what exactly, what came back, what it cost. */
export const TranscriptCall = z
  .object({
    id: z.uuid(),
    callNo: z.int(),
    purpose: z.string().meta({ description: 'turn, grace (the concluding call) or plan' }),
    recipient: z
      .object({ provider: z.string(), model: z.string(), host: z.string() })
      .meta({ description: 'Who read it' }),
    outcome: z.string().meta({ description: 'started, ok, error, stalled, aborted, truncated, lost' }),
    errorKind: z.string().nullable(),
    startedAt: Instant,
    endedAt: Instant.nullable(),
    firstByteMs: z.int().nullable(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    cachedTokens: z.int(),
    costUsd: z.number(),
    sent: z
      .object({
        bytes: z.int().nullable(),
        sha256: Sha256.nullable(),
        body: z
          .string()
          .nullable()
          .meta({ description: 'Every byte of the request; inert text. Null, as all of `sent`, once it has expired' }),
        redactions: z
          .int()
          .meta({ description: 'Marks [redacted:n] in it: values taken out before anything was stored' }),
      })
      .meta({ id: 'SentBytes' }),
    said: z
      .array(
        z.object({
          kind: z.enum(['text', 'tool-call']),
          name: z.string().nullable(),
          text: z.string(),
        }),
      )
      .meta({ description: 'What the model answered, without its thinking' }),
  })
  .meta({ id: 'TranscriptCall' });
export type TranscriptCall = z.infer<typeof TranscriptCall>;

/** One conversation with a model. */
export const TranscriptTurn = z
  .object({
    id: z.uuid(),
    kind: z.string().meta({ description: 'investigation or planner' }),
    status: z.string(),
    endReason: z.string().nullable(),
    attempts: z.int(),
    head: z.string().nullable().meta({ description: 'The system text' }),
    tools: z.array(z.string()),
    calls: z.array(TranscriptCall),
  })
  .meta({ id: 'TranscriptTurn' });
export type TranscriptTurn = z.infer<typeof TranscriptTurn>;

/** Everything of one incident that was sent to a model. Empty when nothing was. */
export const Transcript = z
  .object({
    incidentId: z.uuid(),
    turns: z.array(TranscriptTurn),
    bytesSent: z.int(),
    costUsd: z.number(),
    readBy: z
      .array(z.object({ actor: z.string(), at: Instant }))
      .meta({ description: 'Who has read this transcript, newest first' }),
  })
  .meta({ id: 'Transcript' });
export type Transcript = z.infer<typeof Transcript>;
