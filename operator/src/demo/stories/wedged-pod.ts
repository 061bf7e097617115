import { ALL_PASSED, ALWAYS_SIMULATED, approveAndHeal, BY_VERIFIER, POD_WRITES } from './recurring-parts.ts';
import type { Story } from './story.ts';
import { wedgedWorld } from './wedged.ts';

const WORKLOAD = 'ledger-writer';

export const wedgedPod: Story = {
  id: 'wedged-pod',
  title: 'One pod holds a stale lock',
  summary:
    'One of five pods was killed while it held a lock in its own volume, and finds that lock at each restart. Its log names it; making the pod anew heals it.',
  simulated: ALWAYS_SIMULATED,
  ...wedgedWorld(WORKLOAD, [
    { at: 0, text: '{time} info starting {image}' },
    {
      at: 1,
      text: '{time} fatal cannot acquire lock /var/lib/ledger/writer.lock: stale lock held by pid 1 of a process that no longer exists',
    },
  ]),
  director: approveAndHeal(WORKLOAD, 'the lock goes with the pod'),
  expected: {
    incidents: [
      {
        key: WORKLOAD,
        workload: { kind: 'Deployment', name: WORKLOAD },
        certainty: 'likely',
        cause: { kind: 'stale-local-state', line: 'stale lock .*writer\\.lock|writer\\.lock.*stale lock' },
        proposal: { kind: 'RestartPod' },
        final: BY_VERIFIER,
        verifications: ALL_PASSED,
      },
    ],
    writes: POD_WRITES,
    benign: [],
  },
};
