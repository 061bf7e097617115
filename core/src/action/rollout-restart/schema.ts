import { z } from 'zod';

/** Every pod of the workload, at the pace of its own strategy; there is nothing to choose. */
export const rolloutRestartParams = z.strictObject({});
