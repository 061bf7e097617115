import { z } from 'zod';
import { namespaceName, objectName } from '../words.ts';

export const getJobArgs = z.strictObject({ namespace: namespaceName, name: objectName });
