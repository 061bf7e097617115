import { z } from 'zod';

const amount = z.int().positive().exactOptional();

/** Memory in bytes, cpu in millicores; what is absent stays as it is. */
export const patchResourcesParams = z
  .strictObject({
    container: z.string().min(1).max(63),
    memoryLimitBytes: amount,
    memoryRequestBytes: amount,
    cpuLimitMillis: amount,
    cpuRequestMillis: amount,
  })
  .refine(
    (params) =>
      [params.memoryLimitBytes, params.memoryRequestBytes, params.cpuLimitMillis, params.cpuRequestMillis].some(
        (value) => value !== undefined,
      ),
    { error: 'expected at least one amount to change' },
  );
