import { approveAndHeal, DEPLOYMENT_WRITES } from './recurring-parts.ts';
import type { Story } from './story.ts';
import { type WrongAddress, wrongAddressIncident, wrongAddressWorld } from './wrong-address.ts';

const FAULT: WrongAddress = {
  workload: 'shipping',
  image: 'shipping:3.3.1',
  replicas: 4,
  variable: 'CARRIER_URL',
  good: 'http://carriers:8080',
  wrong: 'carriers:8080',
};

export const targetMovedScale: Story = {
  id: 'target-moved-scale',
  title: 'Somebody scales while approval waits',
  summary:
    'Between proposal and approval the Deployment is scaled from 4 to 6. The approval is answered with what changed; a new revision of the proposal is approved and heals.',
  approvers: 1,
  ...wrongAddressWorld(FAULT),
  director: [
    { act: 'await-incident', incident: FAULT.workload, state: 'AwaitingApproval', withinSeconds: 300 },
    {
      act: 'in-the-world',
      step: { do: 'scale', note: 'somebody scales shipping from 4 to 6', deployment: FAULT.workload, replicas: 6 },
    },
    { act: 'approve', incident: FAULT.workload, by: 'approver', reason: 'as shown', answer: 'target-changed' },
    ...approveAndHeal(FAULT.workload, 'seen with six replicas'),
  ],
  expected: { incidents: [wrongAddressIncident(FAULT)], writes: DEPLOYMENT_WRITES, benign: [] },
};
