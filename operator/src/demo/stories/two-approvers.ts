import { BACKGROUND_BEHAVIOURS, opening } from './background.ts';
import {
  A_QUIET_WHILE,
  ALL_UP,
  ALWAYS_SIMULATED,
  crashLoop,
  DEPLOYMENT_WRITES,
  workloadAlerts,
} from './recurring-parts.ts';
import type { Story } from './story.ts';
import {
  type WrongAddress,
  wrongAddressBehaviours,
  wrongAddressIncident,
  wrongAddressManifests,
  wrongAddressRollout,
} from './wrong-address.ts';

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
  simulated: ALWAYS_SIMULATED,
  approvers: 2,
  timeline: [
    ...opening(wrongAddressManifests(FAULT)),
    ALL_UP,
    A_QUIET_WHILE,
    wrongAddressRollout(FAULT),
    crashLoop(FAULT.workload),
  ],
  behaviours: [...wrongAddressBehaviours(FAULT), ...BACKGROUND_BEHAVIOURS],
  alerts: workloadAlerts(FAULT.workload),
  director: [
    { act: 'await-incident', incident: FAULT.workload, state: 'AwaitingApproval', withinSeconds: 300 },
    { act: 'approve', incident: FAULT.workload, by: 'approver', reason: 'looks right', answer: 'stays-open' },
    { act: 'approve', incident: FAULT.workload, by: 'approver', reason: 'once more', answer: 'already-voted' },
    { act: 'approve', incident: FAULT.workload, by: 'other-approver', reason: 'I agree', answer: 'executes' },
    { act: 'await-incident', incident: FAULT.workload, state: 'Resolved', withinSeconds: 1800 },
  ],
  expected: { incidents: [wrongAddressIncident(FAULT)], writes: DEPLOYMENT_WRITES, benign: [] },
};
