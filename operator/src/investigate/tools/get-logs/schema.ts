import { z } from 'zod';
import { namespaceName, objectName } from '../words.ts';

export const getLogsArgs = z.strictObject({
  namespace: namespaceName,
  pod: objectName,
  container: objectName,
  previous: z.boolean().describe('The life before the last restart, which is the one that failed'),
});
