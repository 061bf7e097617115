import { ALWAYS_SIMULATED, escalates } from './recurring-parts.ts';
import type { Story } from './story.ts';
import { wedgedWorld } from './wedged.ts';

const WORKLOAD = 'ledger-reader';

export const wedgedPodSilent: Story = {
  id: 'wedged-pod-silent',
  title: 'One pod fails and does not say why',
  summary:
    'The same stale lock, but nothing in the log speaks of it. That one pod of five is bad is possible to say; why is not, so nothing is proposed.',
  simulated: ALWAYS_SIMULATED,
  ...wedgedWorld(WORKLOAD, [{ at: 0, text: '{time} info starting {image}' }]),
  director: [escalates(WORKLOAD, 'LowConfidence')],
  expected: {
    incidents: [
      {
        key: WORKLOAD,
        workload: { kind: 'Deployment', name: WORKLOAD },
        certainty: 'possible',
        cause: { kind: 'one-bad-replica' },
        proposal: { kind: 'none', why: 'not-established' },
        final: { state: 'Escalated', reason: 'LowConfidence' },
        verifications: [],
      },
    ],
    writes: [],
    benign: [],
  },
};
