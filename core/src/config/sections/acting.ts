import { z } from 'zod';
import { AGENT_MODES } from '../../switches/modes.ts';
import { duration } from '../duration.ts';
import { namespaceName } from '../namespace-name.ts';

/** How far the product may go, and by what it is held back. What may be done where is the policy's. */
export const actingSection = z.strictObject({
  policyFile: z
    .string()
    .min(1)
    .optional()
    .describe('File of the policy: namespaces, kinds of action, limits. Absent: nothing may be done anywhere.'),
  initialMode: z
    .enum(AGENT_MODES)
    .default('observe')
    .describe('Mode of an installation that has never run. A stored mode is kept, never raised at start.'),
  modeCeiling: z
    .enum(AGENT_MODES)
    .optional()
    .describe('The most that this process ever does, whatever is stored. Read at start.'),
  emergencyStop: z.boolean().default(false).describe('Start with the emergency stop on. Read at start.'),
  configMap: z
    .strictObject({
      namespace: namespaceName.default('hephaisto').describe('Namespace of the ConfigMap of switches.'),
      name: z
        .string()
        .min(1)
        .default('hephaisto-switches')
        .describe('Its name. A missing one counts as mode `observe`.'),
    })
    .prefault({}),
  alertmanager: z
    .strictObject({
      url: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe(
          'Base address of the Alertmanager whose alerts verification asks about. Absent: that question is dropped.',
        ),
      token: z.string().min(1).optional().describe('Bearer token for it. Prefer `tokenFile`.'),
      tokenFile: z.string().min(1).optional().describe('File that holds the bearer token; read at start.'),
      timeout: duration('5s', { min: '100ms' }).describe('How long it may take to answer.'),
    })
    .prefault({}),
  callTimeout: duration('10s', { min: '100ms' }).describe('How long one changing call to the cluster may take.'),
  recheck: duration('5s', { min: '100ms' }).describe('How often the targets of open proposals are read again.'),
  lease: duration('30s', { min: '1s' }).describe(
    'After how long another replica takes over a step that nobody continues.',
  ),
});
