import { BACKGROUND_BEHAVIOURS, opening } from './background.ts';
import { app, secret } from './manifests.ts';
import { ALWAYS_SIMULATED, escalates, waiting, waitingAlerts } from './recurring-parts.ts';
import type { Story } from './story.ts';

const WORKLOAD = 'webhook-relay';
const SECRET = 'webhook-relay-keys';
const KEY = 'signing-key';

export const secretKeyMissing: Story = {
  id: 'secret-key-missing',
  title: 'A Secret lacks a key',
  summary:
    'The first revision asks for a key that its Secret never had. Secret and key are named from the event; no Secret is read.',
  simulated: ALWAYS_SIMULATED,
  approvers: 1,
  timeline: [
    ...opening([
      secret(SECRET, { 'delivery-token': 'not-a-real-token' }),
      ...app({
        name: WORKLOAD,
        image: 'webhook-relay:1.0.3',
        replicas: 2,
        memoryLimit: '64Mi',
        env: [{ name: 'SIGNING_KEY', valueFrom: { secretKeyRef: { name: SECRET, key: KEY } } }],
      }),
    ]),
    waiting(WORKLOAD, 'CreateContainerConfigError'),
  ],
  behaviours: BACKGROUND_BEHAVIOURS,
  alerts: waitingAlerts(WORKLOAD),
  director: [escalates(WORKLOAD, 'NoPlanProduced')],
  expected: {
    incidents: [
      {
        key: WORKLOAD,
        workload: { kind: 'Deployment', name: WORKLOAD },
        certainty: 'proven',
        cause: { kind: 'config-missing', source: 'Secret', name: SECRET, key: KEY },
        proposal: { kind: 'none', why: 'no-safe-action', command: `kubectl .*${SECRET}` },
        final: { state: 'Escalated', reason: 'NoPlanProduced' },
        verifications: [],
      },
    ],
    writes: [],
    benign: [],
  },
};
