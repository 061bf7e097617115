import { BACKGROUND_BEHAVIOURS, healthyScript, opening } from './background.ts';
import { app, shopImage } from './manifests.ts';
import {
  A_QUIET_WHILE,
  ALL_PASSED,
  ALL_UP,
  ALWAYS_SIMULATED,
  approveAndHeal,
  BY_VERIFIER,
  DEPLOYMENT_WRITES,
  waiting,
  waitingAlerts,
} from './recurring-parts.ts';
import type { Story } from './story.ts';

const WORKLOAD = 'cart';
const GOOD = 'cart:5.1.0';
const MISSING = 'cart:5.1.1-rc7';

export const imageMissingRollout: Story = {
  id: 'image-missing-rollout',
  title: 'A rollout names an image that does not exist',
  summary: 'The new tag was never pushed. The new pods cannot pull it; the rollout is undone.',
  simulated: [...ALWAYS_SIMULATED, 'there is no registry: the story says which tags exist'],
  approvers: 1,
  timeline: [
    ...opening(app({ name: WORKLOAD, image: GOOD, replicas: 3, memoryLimit: '128Mi', memoryRequest: '32Mi' })),
    ALL_UP,
    A_QUIET_WHILE,
    {
      do: 'set-image',
      note: `somebody rolls out ${MISSING}, which was never pushed`,
      deployment: WORKLOAD,
      container: WORKLOAD,
      image: shopImage(MISSING),
    },
    waiting(WORKLOAD, 'ImagePullBackOff'),
  ],
  behaviours: [
    { workload: WORKLOAD, when: { kind: 'image', matches: '-rc7$' }, run: { pullError: 'not found' } },
    { workload: WORKLOAD, when: { kind: 'always' }, run: healthyScript('added 18 items') },
    ...BACKGROUND_BEHAVIOURS,
  ],
  alerts: waitingAlerts(WORKLOAD),
  director: approveAndHeal(WORKLOAD, 'the tag does not exist'),
  expected: {
    incidents: [
      {
        key: WORKLOAD,
        workload: { kind: 'Deployment', name: WORKLOAD },
        certainty: 'proven',
        cause: {
          kind: 'rollout-change',
          symptom: 'image-pull',
          revision: 2,
          previousRevision: 1,
          field: `spec.template.spec.containers[${WORKLOAD}].image`,
          from: shopImage(GOOD),
          to: shopImage(MISSING),
        },
        proposal: { kind: 'RollbackWorkload', fromRevision: 2, toRevision: 1 },
        final: BY_VERIFIER,
        verifications: ALL_PASSED,
      },
    ],
    writes: DEPLOYMENT_WRITES,
    benign: [],
  },
};
