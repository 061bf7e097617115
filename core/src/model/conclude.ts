import { z } from 'zod';
import { FINDING_CATEGORIES } from '../finding/finding.ts';
import { SYMPTOMS } from '../finding/symptom.ts';

/** Kinds of cause that a model may name. What a kind means is settled by what was read, never by the model's word. */
export const CLAIMABLE_CAUSES = [
  'rollout-change',
  'memory-limit-too-low',
  'stale-local-state',
  'one-bad-replica',
  'image-missing',
  'unschedulable',
  'config-missing',
  'crash-application',
  'upstream',
  'job-failed',
  'node-pressure',
  'unknown',
] as const;

const name = z.string().min(1).max(253);

export const causeClaim = z.strictObject({
  kind: z.enum(CLAIMABLE_CAUSES),
  pod: name.optional().describe('The one pod, where it is one pod'),
  container: name.optional(),
  revision: z.int().positive().optional().describe('rollout-change: the revision that brought it'),
  field: z
    .string()
    .max(500)
    .optional()
    .describe('rollout-change: the changed field that matters, as the history names it'),
  symptom: z.enum(SYMPTOMS).optional(),
  resource: z.enum(['cpu', 'memory', 'other']).optional().describe('unschedulable: what there is too little of'),
  source: z.enum(['Secret', 'ConfigMap']).optional().describe('config-missing'),
  name: name
    .optional()
    .describe('config-missing: the Secret or ConfigMap; upstream: the Service; node-pressure: the node'),
  key: name.optional().describe('config-missing: the missing key'),
  backend: name.optional().describe('upstream: the workload behind the Service'),
});
export type CauseClaim = z.infer<typeof causeClaim>;

const findingClaim = z.strictObject({
  statement: z.string().min(1).max(1_200).describe('One or two sentences for the person who is woken'),
  category: z.enum(FINDING_CATEGORIES),
  confidence: z.number().min(0).max(1),
  primary: z.boolean().describe('True for the one cause that explains the incident'),
  cause: causeClaim,
  evidence: z
    .array(
      z.strictObject({
        step: z.string().min(1).max(64).describe('Label of the step, as in [step bcdfghjk]'),
        excerpt: z.string().min(1).max(1_000).describe('Words copied exactly from that step, at least 12 characters'),
      }),
    )
    .max(12),
});
export type FindingClaim = z.infer<typeof findingClaim>;

/** Arguments of `conclude`. Strict at every depth: a field that nobody asked for is a refusal, not something to look away from. */
export const concludeArgs = z.strictObject({
  summary: z.string().min(1).max(2_000),
  findings: z.array(findingClaim).max(8),
});
export type ConcludeArgs = z.infer<typeof concludeArgs>;

export const CONCLUDE = 'conclude';
