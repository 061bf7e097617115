import { z } from 'zod';

/** The pod is the target itself; there is nothing to choose. */
export const restartPodParams = z.strictObject({});
