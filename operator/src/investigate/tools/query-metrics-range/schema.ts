import { z } from 'zod';
import { promql } from '../query-metrics/schema.ts';

const MOST_POINTS = 1_000;

export const queryMetricsRangeArgs = z
  .strictObject({
    query: promql,
    minutes: z.int().min(1).max(10_080).describe('How far back, at most a week'),
    stepSeconds: z.int().min(5).max(86_400).describe('Distance of the points'),
  })
  .refine(({ minutes, stepSeconds }) => (minutes * 60) / stepSeconds <= MOST_POINTS, {
    error: `expected at most ${MOST_POINTS} points; take a larger step`,
    path: ['stepSeconds'],
  });
