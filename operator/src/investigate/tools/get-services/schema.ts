import { z } from 'zod';
import { namespaceName } from '../words.ts';

export const getServicesArgs = z.strictObject({ namespace: namespaceName });
