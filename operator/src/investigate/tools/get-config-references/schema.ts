import { z } from 'zod';
import { namespaceName, objectName, workloadKind } from '../words.ts';

export const getConfigReferencesArgs = z.strictObject({
  kind: workloadKind,
  namespace: namespaceName,
  name: objectName,
});
