import { z } from 'zod';

/** Names as Kubernetes takes them; anything else could not exist and must not reach a path. */
export const objectName = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[a-z0-9]([a-z0-9.:-]*[a-z0-9])?$/, 'expected a Kubernetes object name: lower case letters, digits, - and .');

export const namespaceName = objectName.max(63).describe('Namespace to look into');

export const workloadKind = z
  .enum(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'])
  .describe('Kind of the controller that owns the pods');
