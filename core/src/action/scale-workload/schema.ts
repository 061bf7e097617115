import { z } from 'zod';

/** Zero is not a count here: switching a workload off is a person's decision. */
export const scaleWorkloadParams = z
  .strictObject({ fromReplicas: z.int().nonnegative(), toReplicas: z.int().positive() })
  .refine((params) => params.fromReplicas !== params.toReplicas, {
    error: 'expected toReplicas to differ from fromReplicas',
    path: ['toReplicas'],
  });
