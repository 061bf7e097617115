import { quote } from '../quote.ts';
import { finding, type Rule } from '../rule.ts';
import { podEvidence } from '../symptom-evidence.ts';

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
    const said = [
      first.message ?? '',
      ...(view.events?.value.filter(({ message }) => message.includes(image)).map(({ message }) => message) ?? []),
    ];
    const missing = said.some((text) => MISSING.test(text));
    const standing =
      view.history?.value.length === 1 ? ' It stands in the first revision, so there is nothing to go back to.' : '';
    return finding(imageMissing, {
      category: 'configuration',
      statement: missing
        ? `The image ${image} of container ${first.container} does not exist in its registry.${standing}`
        : `The image ${image} of container ${first.container} cannot be pulled; the registry does not say that it is missing.${standing}`,
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
