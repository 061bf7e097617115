import { z } from 'zod';
import { namespaceName, objectName } from '../words.ts';

export const getEventsArgs = z.strictObject({
  namespace: namespaceName,
  name: objectName
    .describe('The object, or the common beginning of several: a Deployment with its ReplicaSets and pods')
    .exactOptional(),
});
