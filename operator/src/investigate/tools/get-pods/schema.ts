import { z } from 'zod';
import { namespaceName, objectName } from '../words.ts';

const byOwner = z.strictObject({
  namespace: namespaceName,
  kind: z.enum(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job']).describe('Kind of the owner'),
  name: objectName.describe('Name of the owner'),
});

const byLabels = z.strictObject({
  namespace: namespaceName,
  selector: z.record(z.string(), z.string()).describe('Labels that the pods must bear'),
});

export const getPodsArgs = z.union([byOwner, byLabels]);
