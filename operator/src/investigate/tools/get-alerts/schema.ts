import { z } from 'zod';

export const getAlertsArgs = z.strictObject({
  label: z.string().max(200).optional().describe('Only alerts that bear this, as name=value'),
});
