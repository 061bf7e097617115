import { z } from 'zod';

export const getSilencesArgs = z.strictObject({});
