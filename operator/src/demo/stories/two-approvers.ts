import { DEPLOYMENT_WRITES } from './recurring-parts.ts';
import type { Story } from './story.ts';
import { type WrongAddress, wrongAddressIncident, wrongAddressWorld } from './wrong-address.ts';

const FAULT: WrongAddress = {
  workload: 'pricing',
  image: 'pricing:1.12.0',
  replicas: 3,
  variable: 'TAX_URL',
  good: 'http://tax:8080',
  wrong: 'http://tax:80 80',
};

export const twoApprovers: Story = {
  id: 'two-approvers',
  title: 'Two people must agree',
  summary:
    "A policy asks for two different persons. One vote leaves the proposal open, the same person's second is refused, another's carries it out.",
  approvers: 2,
  ...wrongAddressWorld(FAULT),
  director: [
    { act: 'await-incident', incident: FAULT.workload, state: 'AwaitingApproval', withinSeconds: 300 },
    { act: 'approve', incident: FAULT.workload, by: 'approver', reason: 'looks right', answer: 'stays-open' },
    { act: 'approve', incident: FAULT.workload, by: 'approver', reason: 'once more', answer: 'already-voted' },
    { act: 'approve', incident: FAULT.workload, by: 'other-approver', reason: 'I agree', answer: 'executes' },
    { act: 'await-incident', incident: FAULT.workload, state: 'Resolved', withinSeconds: 1800 },
  ],
  expected: { incidents: [wrongAddressIncident(FAULT)], writes: DEPLOYMENT_WRITES, benign: [] },
};
