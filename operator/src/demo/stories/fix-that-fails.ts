import { BACKGROUND_BEHAVIOURS, opening } from './background.ts';
import { app } from './manifests.ts';
import { needsMemory } from './memory.ts';
import { ALWAYS_SIMULATED, crashLoop, DEPLOYMENT_WRITES, workloadAlerts } from './recurring-parts.ts';
import type { Story } from './story.ts';

const WORKLOAD = 'thumbnailer';
const LIMIT = '96Mi';

export const fixThatFails: Story = {
  id: 'fix-that-fails',
  title: 'A repair that does not help is undone',
  summary:
    'A raised limit is approved, but the process leaks and dies all the same. Verification fails, the exact prior spec is put back, and a person takes over.',
  simulated: [...ALWAYS_SIMULATED, 'memory is not used: the container is killed whatever its limit, up to 64Gi'],
  approvers: 1,
  timeline: [
    ...opening(app({ name: WORKLOAD, image: 'thumbnailer:0.9.7', replicas: 2, memoryLimit: LIMIT })),
    crashLoop(WORKLOAD),
  ],
  behaviours: [...needsMemory(WORKLOAD, 64 * 1024, 'decoding image batch', 'never'), ...BACKGROUND_BEHAVIOURS],
  alerts: workloadAlerts(WORKLOAD),
  director: [
    { act: 'await-incident', incident: WORKLOAD, state: 'AwaitingApproval', withinSeconds: 300 },
    { act: 'approve', incident: WORKLOAD, by: 'approver', reason: 'worth a try', answer: 'executes' },
    {
      act: 'await-incident',
      incident: WORKLOAD,
      state: 'Escalated',
      reason: 'VerificationFailed',
      withinSeconds: 1800,
    },
  ],
  expected: {
    incidents: [
      {
        key: WORKLOAD,
        workload: { kind: 'Deployment', name: WORKLOAD },
        certainty: 'likely',
        cause: { kind: 'memory-limit-too-low', container: WORKLOAD, limitBytes: 96 * 2 ** 20 },
        proposal: { kind: 'PatchResources', container: WORKLOAD, from: LIMIT, atLeast: LIMIT },
        final: { state: 'Escalated', reason: 'VerificationFailed', subReason: 'RolledBack' },
        verifications: [
          { predicate: 'workload-health', result: 'failed' },
          { predicate: 'restored', result: 'passed' },
        ],
      },
    ],
    writes: DEPLOYMENT_WRITES,
    benign: [],
  },
};
