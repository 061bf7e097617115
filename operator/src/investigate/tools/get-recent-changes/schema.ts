import { z } from 'zod';
import { namespaceName } from '../words.ts';

export const getRecentChangesArgs = z.strictObject({ namespace: namespaceName });
