import { z } from 'zod';
import { namespaceName, objectName } from '../words.ts';

export const getPodArgs = z.strictObject({ namespace: namespaceName, name: objectName });
