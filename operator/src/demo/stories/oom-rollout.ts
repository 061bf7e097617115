import { BACKGROUND_BEHAVIOURS, opening } from './background.ts';
import { app } from './manifests.ts';
import { needsMemory } from './memory.ts';
import {
  A_QUIET_WHILE,
  ALL_PASSED,
  ALL_UP,
  ALWAYS_SIMULATED,
  approveAndHeal,
  BY_VERIFIER,
  crashLoop,
  DEPLOYMENT_WRITES,
  workloadAlerts,
} from './recurring-parts.ts';
import type { Story } from './story.ts';

const WORKLOAD = 'catalog-indexer';

export const oomRollout: Story = {
  id: 'oom-rollout',
  title: 'A rollout lowers a memory limit',
  summary:
    'A saving goes too far: the new limit is below what the process works with. The rollout is undone rather than the limit guessed.',
  simulated: [...ALWAYS_SIMULATED, 'memory is not used: the container is killed as long as its limit is below 160Mi'],
  approvers: 1,
  timeline: [
    ...opening(
      app({ name: WORKLOAD, image: 'catalog-indexer:4.1.0', replicas: 3, memoryLimit: '256Mi', memoryRequest: '64Mi' }),
    ),
    ALL_UP,
    A_QUIET_WHILE,
    {
      do: 'set-memory-limit',
      note: 'somebody lowers the memory limit to 96Mi',
      deployment: WORKLOAD,
      container: WORKLOAD,
      limit: '96Mi',
    },
    crashLoop(WORKLOAD),
  ],
  behaviours: [...needsMemory(WORKLOAD, 160, 'merging index segments'), ...BACKGROUND_BEHAVIOURS],
  alerts: workloadAlerts(WORKLOAD),
  director: approveAndHeal(WORKLOAD, 'the old limit was needed'),
  expected: {
    incidents: [
      {
        key: WORKLOAD,
        workload: { kind: 'Deployment', name: WORKLOAD },
        certainty: 'proven',
        cause: {
          kind: 'rollout-change',
          symptom: 'oom',
          revision: 2,
          previousRevision: 1,
          field: `spec.template.spec.containers[${WORKLOAD}].resources.limits.memory`,
          from: '256Mi',
          to: '96Mi',
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
