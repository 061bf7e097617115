import { ordersIn } from '../../evidence/taint.ts';
import { isInEpisode } from '../episode.ts';
import { inQuotes, quote } from '../quote.ts';
import { finding, type Rule } from '../rule.ts';
import { decisiveWords, podEvidence } from '../symptom-evidence.ts';

/** Words of registries and runtimes for a tag or repository that does not exist. */
const MISSING = /not found|manifest unknown|does not exist|no such (?:image|manifest)|name unknown|invalid reference/i;

export const imageMissing: Rule = {
  id: 'image-missing',
  question: 'Does the image exist?',
  needs: ['get_pods', 'get_events'],
  evaluate({ view, rollout }) {
    const sick = view.troubles.filter(({ symptom }) => symptom === 'image-pull');
    const first = sick[0];
    if (first?.container === undefined || view.about === undefined) return [];
    if (rollout.kind === 'explains' && rollout.comparison.symptom === 'image-pull') return [];
    const image = first.pod.specs.find(({ name }) => name === first.container)?.image ?? '';
    const messages = [
      ...(view.events?.value ?? [])
        .filter(({ message, lastSeen }) => message.includes(image) && isInEpisode(lastSeen, view.episode))
        .map(({ message }) => message),
      first.message ?? '',
    ].filter((text) => ordersIn(text).length === 0);
    const answer = messages.find((text) => MISSING.test(text));
    const missing = answer !== undefined;
    const words = answer ?? decisiveWords(view, sick, 'image-pull');
    const quoted = words === undefined ? '' : `: ${inQuotes(words)}`;
    const standing =
      view.history?.value.length === 1 ? ' There is only one revision, so no older image can be restored.' : '';
    return finding(imageMissing, {
      category: 'configuration',
      statement: missing
        ? `The image ${image} of container ${first.container} does not exist in its registry${quoted}.${standing}`
        : `The image ${image} of container ${first.container} cannot be pulled; the registry does not say that it is missing${quoted}.${standing}`,
      certainty: missing ? 'proven' : 'likely',
      cause: { kind: 'image-missing', workload: view.about, container: first.container, image },
      evidence: [
        ...quote(view.events, 'Failed to pull image', image),
        ...podEvidence(view, sick, 'image-pull'),
        ...quote(view.history, `revision ${view.history?.value[0]?.revision ?? ''}: `),
      ],
    });
  },
};
