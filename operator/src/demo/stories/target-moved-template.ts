import { template } from './manifests.ts';
import { approveAndHeal, crashLoop, DEPLOYMENT_WRITES, escalates } from './recurring-parts.ts';
import type { Story } from './story.ts';
import { type WrongAddress, wrongAddressIncident, wrongAddressSpec, wrongAddressWorld } from './wrong-address.ts';

const FAULT: WrongAddress = {
  workload: 'basket',
  image: 'basket:6.0.2',
  replicas: 3,
  variable: 'STOCK_URL',
  good: 'http://stock:8080',
  wrong: 'http://stock:808O',
};

/** A repair in haste that is wrong again. */
const SECOND_TRY = 'http://stock:O80';
const told = wrongAddressIncident(FAULT);

export const targetMovedTemplate: Story = {
  id: 'target-moved-template',
  title: 'Somebody pushes another template while approval waits',
  summary:
    'Between proposal and approval somebody pushes a third template. The proposal is void and the incident goes to a person; a reinvestigation finds the new state and heals it.',
  approvers: 1,
  ...wrongAddressWorld(FAULT),
  director: [
    { act: 'await-incident', incident: FAULT.workload, state: 'AwaitingApproval', withinSeconds: 300 },
    {
      act: 'in-the-world',
      step: {
        do: 'push-template',
        note: 'somebody tries to repair it in haste and mistypes again',
        deployment: FAULT.workload,
        template: template(wrongAddressSpec(FAULT, SECOND_TRY)),
      },
    },
    escalates(FAULT.workload, 'AdmissionRefused'),
    { act: 'in-the-world', step: crashLoop(FAULT.workload) },
    { act: 'reinvestigate', incident: FAULT.workload, by: 'responder', reason: 'the template is another one now' },
    ...approveAndHeal(FAULT.workload, 'back to what last worked'),
  ],
  expected: {
    incidents: [
      {
        ...told,
        cause: {
          kind: 'rollout-change',
          symptom: 'crash',
          revision: 3,
          previousRevision: 1,
          field: `spec.template.spec.containers[${FAULT.workload}].env[${FAULT.variable}].value`,
          from: FAULT.good,
          to: SECOND_TRY,
        },
        proposal: { kind: 'RollbackWorkload', fromRevision: 3, toRevision: 1 },
      },
    ],
    writes: DEPLOYMENT_WRITES,
    benign: [],
  },
};
