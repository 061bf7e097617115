import { BACKGROUND_BEHAVIOURS, opening } from './background.ts';
import { app } from './manifests.ts';
import { ALWAYS_SIMULATED, escalates } from './recurring-parts.ts';
import type { Story } from './story.ts';

const WORKLOAD = 'fraud-scoring';

export const unschedulable: Story = {
  id: 'unschedulable',
  title: 'No node is large enough',
  summary:
    'The first revision requests more memory than any node has. A person is told the request and the largest node.',
  simulated: [...ALWAYS_SIMULATED, 'the nodes are objects without machines behind them'],
  approvers: 1,
  timeline: [
    ...opening(app({ name: WORKLOAD, image: 'fraud-scoring:2.0.0', memoryLimit: '64Gi', memoryRequest: '64Gi' })),
    {
      do: 'wait-until',
      note: 'the scheduler finds no node',
      until: { kind: 'unscheduled-pod', workload: WORKLOAD },
      withinSeconds: 120,
    },
  ],
  behaviours: BACKGROUND_BEHAVIOURS,
  alerts: [
    { kind: 'rule', rule: 'KubePodNotReady', workload: WORKLOAD, forSeconds: 60 },
    { kind: 'rule', rule: 'KubeDeploymentReplicasMismatch', workload: WORKLOAD, forSeconds: 60 },
  ],
  director: [escalates(WORKLOAD, 'NoPlanProduced')],
  expected: {
    incidents: [
      {
        key: WORKLOAD,
        workload: { kind: 'Deployment', name: WORKLOAD },
        certainty: 'proven',
        cause: { kind: 'unschedulable', resource: 'memory', requested: '64Gi', largestNode: 'node-d' },
        proposal: { kind: 'none', why: 'no-safe-action', command: 'kubectl .*fraud-scoring' },
        final: { state: 'Escalated', reason: 'NoPlanProduced' },
        verifications: [],
      },
    ],
    writes: [],
    benign: [],
  },
};
