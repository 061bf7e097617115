import { z } from 'zod';
import { duration } from '../duration.ts';

/** The one cluster that is watched. */
export const kubernetesSection = z.strictObject({
  access: z
    .enum(['in-cluster', 'kubeconfig'])
    .default('in-cluster')
    .describe(
      '`in-cluster` uses the pod’s own identity, `kubeconfig` a file that is named here and never one from the environment.',
    ),
  kubeconfig: z.string().min(1).optional().describe('Path of the kubeconfig file.'),
  context: z.string().min(1).optional().describe('Context of the kubeconfig; its current one when absent.'),
  displayName: z.string().min(1).default('local').describe('Name of the cluster as people say it.'),
  aliases: z
    .array(z.string().min(1))
    .default([])
    .describe('Values of the `cluster` label under which alerts name this cluster.'),
  requestTimeout: duration('10s', { min: '1s' }).describe('How long one question to the API server may take.'),
});
