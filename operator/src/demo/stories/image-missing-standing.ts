import { BACKGROUND_BEHAVIOURS, opening } from './background.ts';
import { app, shopImage } from './manifests.ts';
import { ALWAYS_SIMULATED, escalates, waiting, waitingAlerts } from './recurring-parts.ts';
import type { Story } from './story.ts';

const WORKLOAD = 'invoice-mailer';
const MISSING = 'invoice-mailer:0.9.3';

export const imageMissingStanding: Story = {
  id: 'image-missing-standing',
  title: 'An image that never existed',
  summary:
    'The very first revision names a tag that was never pushed. There is nothing to go back to: a person is told the cause and the command.',
  simulated: [...ALWAYS_SIMULATED, 'there is no registry: the story says which tags exist'],
  approvers: 1,
  timeline: [
    ...opening(app({ name: WORKLOAD, image: MISSING, replicas: 2, memoryLimit: '64Mi' })),
    waiting(WORKLOAD, 'ImagePullBackOff'),
  ],
  behaviours: [
    { workload: WORKLOAD, when: { kind: 'image', matches: ':0\\.9\\.3$' }, run: { pullError: 'not found' } },
    ...BACKGROUND_BEHAVIOURS,
  ],
  alerts: waitingAlerts(WORKLOAD),
  director: [escalates(WORKLOAD, 'NoPlanProduced')],
  expected: {
    incidents: [
      {
        key: WORKLOAD,
        workload: { kind: 'Deployment', name: WORKLOAD },
        certainty: 'proven',
        cause: { kind: 'image-missing', image: shopImage(MISSING) },
        proposal: { kind: 'none', why: 'no-safe-action', command: 'kubectl .*set image .*invoice-mailer' },
        final: { state: 'Escalated', reason: 'NoPlanProduced' },
        verifications: [],
      },
    ],
    writes: [],
    benign: [],
  },
};
