import { z } from 'zod';

/** Revisions as the workload's controller numbers them. The finding names the one in flight; the other is the one to restore. */
export const rollbackWorkloadParams = z
  .strictObject({ fromRevision: z.int().positive(), toRevision: z.int().positive() })
  .refine((params) => params.toRevision < params.fromRevision, {
    error: 'expected toRevision to be older than fromRevision',
    path: ['toRevision'],
  });
