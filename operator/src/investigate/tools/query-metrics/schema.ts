import { z } from 'zod';

export const promql = z.string().min(1).max(2_000).describe('PromQL');

export const queryMetricsArgs = z.strictObject({ query: promql });
