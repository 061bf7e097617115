import { BACKGROUND_BEHAVIOURS, opening } from './background.ts';
import { app } from './manifests.ts';
import { needsMemory } from './memory.ts';
import {
  ALL_PASSED,
  ALWAYS_SIMULATED,
  approveAndHeal,
  BY_VERIFIER,
  crashLoop,
  DEPLOYMENT_WRITES,
  workloadAlerts,
} from './recurring-parts.ts';
import type { Story } from './story.ts';

const WORKLOAD = 'report-builder';
const LIMIT = '64Mi';

export const oomStanding: Story = {
  id: 'oom-standing',
  title: 'A memory limit that was always too low',
  summary:
    "The limit has been below what the process works with since its first revision. The limit is raised within the policy's bounds.",
  simulated: [...ALWAYS_SIMULATED, 'memory is not used: the container is killed as long as its limit is below 80Mi'],
  approvers: 1,
  timeline: [
    ...opening(app({ name: WORKLOAD, image: 'report-builder:1.4.4', replicas: 2, memoryLimit: LIMIT })),
    crashLoop(WORKLOAD),
  ],
  behaviours: [...needsMemory(WORKLOAD, 80, 'building report over 90 days'), ...BACKGROUND_BEHAVIOURS],
  alerts: workloadAlerts(WORKLOAD),
  director: approveAndHeal(WORKLOAD, 'it needs more'),
  expected: {
    incidents: [
      {
        key: WORKLOAD,
        workload: { kind: 'Deployment', name: WORKLOAD },
        certainty: 'likely',
        cause: { kind: 'memory-limit-too-low', container: WORKLOAD, limitBytes: 64 * 2 ** 20 },
        proposal: { kind: 'PatchResources', container: WORKLOAD, from: LIMIT, atLeast: '80Mi' },
        final: BY_VERIFIER,
        verifications: ALL_PASSED,
      },
    ],
    writes: DEPLOYMENT_WRITES,
    benign: [],
  },
};
