import { z } from 'zod';

/** The job is the target itself; there is nothing to choose. */
export const deleteStuckJobParams = z.strictObject({});
