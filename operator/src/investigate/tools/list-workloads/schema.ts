import { z } from 'zod';
import { namespaceName, workloadKind } from '../words.ts';

export const listWorkloadsArgs = z.strictObject({ kind: workloadKind, namespace: namespaceName });
