import { pausedRollout } from '../../facts/paused-rollout.ts';
import { pausedMessage } from '../../plan/propose.ts';
import { quote } from '../quote.ts';
import { finding, type Rule } from '../rule.ts';

export const rolloutPaused: Rule = {
  id: 'rollout-paused',
  question: 'Is a rollout incomplete because it is paused?',
  needs: ['get_workload', 'get_pods'],
  evaluate({ view }) {
    const workload = view.workload?.value;
    const paused = pausedRollout(workload);
    // With a sick pod the pause is no cause: the finding about the pod states that the rollout is paused.
    if (workload === undefined || paused === undefined || view.about === undefined) return [];
    if (view.troubles.length > 0 || workload.status.updated >= workload.replicas) return [];
    return finding(rolloutPaused, {
      category: 'configuration',
      statement: `${workload.status.updated} of ${workload.replicas} pods run the newest template: ${pausedMessage(paused)}.`,
      certainty: 'likely',
      cause: { kind: 'rollout-paused', workload: view.about, paused },
      evidence: [...quote(view.workload, 'paused yes'), ...quote(view.workload, 'wants ')],
    });
  },
};
