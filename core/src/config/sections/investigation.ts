import { z } from 'zod';
import { duration } from '../duration.ts';
import { namespaceName } from '../namespace-name.ts';
import { size } from '../size.ts';

/** How long and how far incidents are looked into, and how far a proposed limit may go. */
export const investigationSection = z.strictObject({
  budgetSteps: z.int().min(4).max(200).default(25).describe('Reads that one investigation may make.'),
  deadline: duration('10m', { min: '1s', max: '1h' }).describe('How long one investigation may take.'),
  settle: duration('10s', { min: '0s', max: '1m' }).describe(
    'How long an investigation may wait for pods that have just ended or started to show how they are.',
  ),
  againAfter: duration('10s', { min: '100ms' }).describe(
    'How long after an investigation without a proposal changed facts may lead to the next one. Each further pause is six times longer; there are three at most.',
  ),
  callTimeout: duration('10s', { min: '100ms', max: '2m' }).describe('How long one read may take.'),
  concurrency: z.int().min(1).max(32).default(4).describe('Investigations that one replica runs at the same time.'),
  deniedNamespaces: z.array(namespaceName).default([]).describe('Namespaces that no investigation may look into.'),
  prometheus: z
    .strictObject({
      url: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe('Base address of a Prometheus that a model may query. Absent: no metrics are asked for.'),
      timeout: duration('10s', { min: '100ms' }).describe('How long one query may take.'),
    })
    .prefault({}),
  memoryMax: size('4GiB', { min: '1MiB', max: '65536GiB' }).describe('Memory limits are never proposed above this.'),
  memoryMaxFactor: z.number().min(1.1).max(16).default(4).describe('Nor above this multiple of the present limit.'),
});
