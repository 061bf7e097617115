import { z } from 'zod';
import { namespaceName, objectName } from '../words.ts';

export const getRolloutHistoryArgs = z.strictObject({
  kind: z.enum(['Deployment', 'StatefulSet', 'DaemonSet']).describe('Kind of the workload'),
  namespace: namespaceName,
  name: objectName,
});
