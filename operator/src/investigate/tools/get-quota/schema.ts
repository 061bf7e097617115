import { z } from 'zod';
import { namespaceName } from '../words.ts';

export const getQuotaArgs = z.strictObject({ namespace: namespaceName });
