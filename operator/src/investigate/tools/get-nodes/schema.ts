import { z } from 'zod';

export const getNodesArgs = z.strictObject({});
