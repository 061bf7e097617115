import { approveAndHeal, DEPLOYMENT_WRITES } from './recurring-parts.ts';
import type { Story } from './story.ts';
import { type WrongAddress, wrongAddressIncident, wrongAddressWorld } from './wrong-address.ts';

/** A port with a letter in it, as a hurried hand types it. */
export const BAD_ROLLOUT_FAULT: WrongAddress = {
  workload: 'checkout',
  image: 'checkout:2.4.0',
  replicas: 4,
  variable: 'PAYMENTS_URL',
  good: 'http://payments:8080',
  wrong: 'http://payments:8O80',
};

export const badRollout: Story = {
  id: 'bad-rollout',
  title: 'A rollout brings a wrong value',
  summary:
    'Checkout is rolled out with a mistyped address. The new pods crash, the old ones still serve. The changed value is found and the rollout undone.',
  approvers: 1,
  ...wrongAddressWorld(BAD_ROLLOUT_FAULT),
  director: approveAndHeal(BAD_ROLLOUT_FAULT.workload, 'the old value is the right one'),
  expected: { incidents: [wrongAddressIncident(BAD_ROLLOUT_FAULT)], writes: DEPLOYMENT_WRITES, benign: [] },
};
